package bundle

import (
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/version"

	"github.com/loopx-dev/loopx-policy/engine/vm"
)

// A snapshot is the embedded bundle as it is evaluated: the program that OPA's plan of the rules gives (package vm), the
// data, and what is told about the rules. Parsing and compiling the sources takes nearly all of a cold start; reading a
// snapshot takes little, because a function of the program is taken apart when it is first called.
//
// It is bound to the digest of the sources and to the OPA version, so that a snapshot that does not belong to the rules
// in the binary is never used.

//go:generate go run ./gen snapshot snapshot/bundle.bin

//go:embed snapshot/bundle.bin
var snapshotText string

// snapshotMagic changes with the format and with the compiler whose output a snapshot is.
var snapshotMagic = "loopx-bundle-5 " + version.Version + "\n"

// snapshot is what the file holds.
type snapshot struct {
	program      *vm.Program
	data         vm.Value
	packages     []string
	rules        int
	explanations string // JSON that is only read when somebody asks
}

// Snapshot compiles the embedded bundle from source, with every check, and gives its snapshot.
func Snapshot() ([]byte, error) {
	if _, err := Load(Options{Check: true}); err != nil {
		return nil, err
	}
	// Type checking against the input schema leaves no trace, but annotations do; compile once more without them.
	b, err := Load(Options{measure: measure{source: true, stages: true}})
	if err != nil {
		return nil, err
	}
	return b.snapshot()
}

// snapshot is the snapshot of a bundle that was compiled from source.
func (b *Bundle) snapshot() ([]byte, error) {
	program, err := b.plan()
	if err != nil {
		return nil, err
	}
	code, err := program.MarshalBinary()
	if err != nil {
		return nil, err
	}
	table, err := b.Explanations()
	if err != nil {
		return nil, err
	}
	told, err := json.Marshal(table)
	if err != nil {
		return nil, err
	}
	packages, err := json.Marshal(b.Packages())
	if err != nil {
		return nil, err
	}
	out := append([]byte(snapshotMagic), b.digest...)
	out = binary.AppendUvarint(out, uint64(b.Rules()))
	for _, part := range [][]byte{packages, told, vm.AppendValue(nil, b.data), code} {
		out = append(binary.AppendUvarint(out, uint64(len(part))), part...)
	}
	return out, nil
}

// embedded gives the snapshot in the binary when it was made from the sources with this digest by this OPA version.
func embedded(digest string) (*snapshot, bool) {
	out, err := readSnapshot(snapshotText, digest)
	return out, err == nil
}

var errDamaged = errors.New("the snapshot is damaged")

func readSnapshot(text, digest string) (*snapshot, error) {
	rest, ok := strings.CutPrefix(text, snapshotMagic+digest)
	if !ok {
		return nil, errors.New("the snapshot belongs to other rules")
	}
	numbers := strings.NewReader(rest)
	rules, err := binary.ReadUvarint(numbers)
	if err != nil {
		return nil, errDamaged
	}
	rest = rest[len(rest)-numbers.Len():]
	var parts [4]string
	for i := range parts {
		numbers.Reset(rest)
		size, err := binary.ReadUvarint(numbers)
		rest = rest[len(rest)-numbers.Len():]
		if err != nil || size > uint64(len(rest)) {
			return nil, errDamaged
		}
		parts[i], rest = rest[:size], rest[size:]
	}
	out := &snapshot{rules: int(rules), explanations: parts[1]}
	if err := json.Unmarshal([]byte(parts[0]), &out.packages); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if out.data, rest, err = vm.ReadValue(parts[2]); err != nil || len(rest) > 0 {
		return nil, errDamaged
	}
	if out.program, err = vm.Read(parts[3], out.data); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return out, nil
}
