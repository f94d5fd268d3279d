package vm

import "unsafe"

// place is where a key is in a list of keys. It knows the list itself and not only an equal one, and the key as a constant of
// the program.
type place struct {
	keys *Value
	key  int16
	at   int32 // -1 when there is no such key
}

// knownPlaces is for how many pairs of a list and a key a machine knows the place: a power of two, and as many as a decision has.
const knownPlaces = 1 << 10

// at is what a collection holds at a key, which is the operand of an instruction.
func (m *machine) at(source, key Value, operand int16) Value {
	o, ok := source.(*Object)
	if !ok {
		return get(source, key)
	}
	if !o.lasting || operand >= 0 {
		return o.Get(key)
	}
	keys := unsafe.SliceData(o.keys)
	p := &m.places[(uintptr(unsafe.Pointer(keys))>>4^uintptr(operand)*0x9e3779b1)%knownPlaces]
	if p.keys != keys || p.key != operand {
		*p = place{keys, operand, int32(o.find(key))}
	}
	if p.at < 0 {
		return nil
	}
	return o.vals[p.at]
}
