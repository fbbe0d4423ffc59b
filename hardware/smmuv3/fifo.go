package smmuv3

// A fifo holds what waits, the oldest first. It allocates nothing once it has grown to the largest number that waits.
type fifo[T any] struct {
	list []T
	head int
}

func (f *fifo[T]) len() int  { return len(f.list) - f.head }
func (f *fifo[T]) front() *T { return &f.list[f.head] }
func (f *fifo[T]) clear()    { f.list, f.head = f.list[:0], 0 }

// waiting are all, the oldest first.
func (f *fifo[T]) waiting() []T { return f.list[f.head:] }

func (f *fifo[T]) push(v T) {
	if len(f.list) == cap(f.list) && f.head > 0 {
		f.list, f.head = f.list[:copy(f.list, f.waiting())], 0
	}
	f.list = append(f.list, v)
}

func (f *fifo[T]) pop() {
	if f.head++; f.head == len(f.list) {
		f.clear()
	}
}
