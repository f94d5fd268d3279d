package history

import "bytes"

// neighbour is what the lines read before this one say, by key: a value that stands there again is not read again, and nor
// is what stands between two values. It holds as long as their bytes do. A nil one knows nothing.
type neighbour struct {
	values  cells
	between [placeCount][]byte // from the end of a value to the start of the next
	leads   [placeCount]key    // the key of that next value
}

// The places in an object that between is told for: behind the value of each key, and these.
const (
	unknown = keyCount + iota // behind the value of a key that is not known
	opening                   // behind the brace
	placeCount
)

// follow goes to the next value if the way there is known from a place.
func (n *neighbour) follow(m *memberWalk, place key) (key, bool) {
	if n == nil {
		return noKey, false
	}
	way := n.between[place]
	if len(way) == 0 || !bytes.HasPrefix(m.data[m.at:], way) {
		return noKey, false
	}
	m.at, m.first = space(m.data, m.at+len(way)), false
	return n.leads[place], true
}

// remember notes the way to the value of a key, which was read.
func (n *neighbour) remember(place, k key, way []byte) {
	if n != nil {
		n.between[place], n.leads[place] = way, k
	}
}

// again takes the value of a key if it is the one known. Numbers and words do not show where they end.
func (n *neighbour) again(m *memberWalk, k key) bool {
	if n == nil || k == noKey {
		return false
	}
	value := n.values[k]
	if len(value) == 0 || value[0] != '"' && value[0] != '{' && value[0] != '[' || !bytes.HasPrefix(m.data[m.at:], value) {
		return false
	}
	m.value = m.data[m.at : m.at+len(value)]
	m.at += len(value)
	return true
}
