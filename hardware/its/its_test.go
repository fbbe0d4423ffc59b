package its_test

import (
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/its"
)

func TestSpecValidate(t *testing.T) {
	for _, c := range []struct {
		change func(*its.Spec)
		want   string
	}{
		{func(s *its.Spec) { s.Redistributors = nil }, "Redistributors is 0: want 1 to"},
		{func(s *its.Spec) { s.DeviceBits = 33 }, "DeviceBits is 33: want 1 to 32"},
		{func(s *its.Spec) { s.EventBits = 0 }, "EventBits is 0: want 1 to 32"},
		{func(s *its.Spec) { s.CollectionBits = 17 }, "CollectionBits is 17: want 1 to 16"},
		{func(s *its.Spec) { s.INTIDBits = 13 }, "INTIDBits is 13: want 14 to 32"},
		{func(s *its.Spec) { s.ITESize = 12 }, "ITESize is 12: want 8 or 16"},
		{func(s *its.Spec) { s.ITTEntry = 17 }, "ITTEntry is 17: want 1 to 16"},
		{func(s *its.Spec) { s.HCC = 256 }, "HCC is 256: want 0 to 255"},
		{func(s *its.Spec) { s.Translations = 0 }, "Translations is 0: want 1 to 256"},
		{func(s *its.Spec) { s.DeviceCache = -1 }, "DeviceCache is -1: want 0 to 65536"},
	} {
		s := its.DefaultSpec([]bus.Addr{0x80a_0000})
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		c.change(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
