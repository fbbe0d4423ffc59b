// Package iommu is the kernel's driver of the SMMUv3, drivers/iommu/arm-smmu-v3.c, as far as its command queue and
// strict unmapping go: each access to memory, lock, barrier and register that the kernel makes, in its order, with the
// kernel's structures at the kernel's offsets, so that what shares a cache line in the kernel does here.
//
// The variants are the versions of how a CMD_SYNC is numbered, built, left out and waited for:
//
//	a  v4.18: the number is drawn by an atomic outside of the lock, and so may stand before a smaller one in the queue
//	b  its fix as posted first: the number is drawn, and the command built, inside the lock
//	c  v3: the command is built outside, and the number or-ed in inside
//	d  v4: as b, with a builder of CMD_SYNC's own
//	e  d, and a CMD_SYNC behind another is left out
//	f  as merged, 0f02477d1698: b; with 901510ee32f7 also leaving out
//	g  v5.4, 587e6c10a7ce: without a lock; each waits for its own slot
//
//	arm_smmu_unmap: the descriptor is cleared               io-pgtable-arm.c   unmap.go
//	  arm_smmu_cmdq_issue_cmd: TLBI                         arm-smmu-v3.c      cmdq.go
//	  __arm_smmu_cmdq_issue_sync(_msi)                      arm-smmu-v3.c      sync.go
//	  arm_smmu_cmdq_issue_cmdlist                           arm-smmu-v3.c      cmdlist.go
//
// A wait that times out prints, and the caller goes on as if it had not, as in the kernel: it is counted.
//
// # Left out
//
// The flush queue of lazy mode (who unmaps lazily flushes himself), ATS, the threads of events and page requests.
//
// Reading order: options.go, driver.go, lock.go, cmdq.go, sync.go, cmdlist.go, unmap.go, gerror.go.
package iommu
