package facts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

func TestKeyOfIsTheJSONName(t *testing.T) {
	assert.Equal(t, "operator_gate", facts.KeyOf[facts.Goal]("OperatorGate"))
	assert.Panics(t, func() { facts.KeyOf[facts.Goal]("NoSuchField") })
}
