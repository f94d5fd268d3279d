package history

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
)

// traits are what the stop rule asks of a row. Each group has a bit that says that the row has the field, so that a
// later overlay replaces exactly the groups it brings.
type traits uint32

const (
	hasClass      traits = 1 << iota
	isAccounting         // settings.neutral or settings.poll
	statusNeutral        //
	isSpend              //
	isVoid               //
	isDecision           // by classification
	hasScope             //
	laneScope            //
	hasAgent             //
	foreign              // another agent's row
	hasReward            //
	reward               //
	hasGate              //
	gate                 //
	hasResume            //
	resume               //
	hasVision            //
	vision               //
	isRefresh            // by classification
	hasOutcome           //
	knownOutcome         //
	followOutcome        // asks for follow-through
)

// groups pairs each has-bit with the bits it governs.
var groups = [...]struct{ has, all traits }{
	{hasClass, hasClass | isAccounting | statusNeutral | isSpend | isVoid | isDecision | isRefresh},
	{hasScope, hasScope | laneScope},
	{hasAgent, hasAgent | foreign},
	{hasReward, hasReward | reward},
	{hasGate, hasGate | gate},
	{hasResume, hasResume | resume},
	{hasVision, hasVision | vision},
	{hasOutcome, hasOutcome | knownOutcome | followOutcome},
}

// overlay puts the fields of a later line over those of an earlier one.
func overlay(earlier, later traits) traits {
	for _, g := range groups {
		if later&g.has != 0 {
			earlier = earlier&^g.all | later&g.all
		}
	}
	return earlier
}

func (t traits) has(any traits) bool { return t&any != 0 }

// decides is true for a row that ends a streak of its lane: neither a canary nor a refresh without an outcome.
func (t traits) decides() bool {
	return !t.has(statusNeutral) && (!t.has(isRefresh) || t.has(knownOutcome))
}

// goalRun is true for a row of the whole goal that may become its status.
func (t traits) goalRun() bool { return !t.has(statusNeutral | laneScope) }

// decision is true for a row that holds a checkpointed human decision.
func (t traits) decision() bool { return t.has(isDecision | reward | gate | resume) }

// ref is where a line stands in the index.
type ref struct {
	off  int64
	size int32
	note int32 // where its cells are noted, 0 when they are not
}

// mark is one row of the goal, reduced to what is needed to decide whether it is decoded at all.
type mark struct {
	at    int64  // generated_at, nanoseconds since the epoch
	id    uint64 // hash of what makes two lines the same row
	first ref
	traits
	overlays []ref // later lines of the same row, in file order
}

// known reduces lines to marks.
type known struct {
	options  *Options
	classes  map[string]traits
	outcomes map[string]traits
	prefixes []string
	seed     maphash.Seed
	clock    clock
}

// classBits maps each classification that the settings name to its bits.
func classBits(s *Settings) map[string]traits {
	out := map[string]traits{}
	for _, list := range []struct {
		names []string
		bit   traits
	}{
		{s.Neutral, isAccounting}, {s.Poll, isAccounting}, {s.StatusNeutral, statusNeutral},
		{s.Ledger.Spend, isSpend}, {s.Ledger.Void, isVoid}, {s.DecisionClassifications, isDecision}, {[]string{s.Refresh}, isRefresh},
	} {
		for _, name := range list.names {
			out[name] |= list.bit
		}
	}
	return out
}

// outcomeBits maps each outcome that the settings name to its bits.
func outcomeBits(s *Settings) map[string]traits {
	out := map[string]traits{}
	for _, word := range s.Outcomes {
		out[word] = knownOutcome
	}
	for _, word := range s.FollowThrough {
		out[word] |= followOutcome
	}
	return out
}

// reading is what one line of the index turned out to be.
type reading struct {
	own   bool // a row of this goal
	timed bool // at is its time
	at    int64
	mark  mark
}

// read reduces the cells of one line.
func (k *known) read(c *cells, seen uint64, at ref) reading {
	r := reading{own: true}
	if goal, ok := str(c[keyGoalID]); ok {
		r.own = string(goal) == k.options.GoalID || len(goal) == 0
	}
	generated, ok := str(c[keyGeneratedAt])
	if ok {
		r.at, r.timed = k.clock.parse(generated)
	}
	if !r.own || !r.timed {
		return r
	}
	r.mark = mark{at: r.at, first: at, traits: k.traits(c, seen)}
	r.mark.id = k.identity(c, generated)
	return r
}

func (k *known) traits(c *cells, seen uint64) traits {
	var t traits
	has := func(k key) bool { return seen&(1<<k) != 0 }
	if has(keyClassification) {
		t |= hasClass
		if class, ok := str(c[keyClassification]); ok {
			t |= k.class(class)
		}
	}
	if has(keyProgressScope) {
		t |= hasScope
		if scope, ok := str(c[keyProgressScope]); ok && string(scope) == k.options.Settings.AgentLaneScope {
			t |= laneScope
		}
	}
	if has(keyAgentID) {
		t |= hasAgent
		if agent, ok := str(c[keyAgentID]); ok && k.foreign(agent) {
			t |= foreign
		}
	}
	if has(keyDeliveryOutcome) {
		t |= hasOutcome
		if word, ok := str(c[keyDeliveryOutcome]); ok {
			t |= k.outcomes[string(word)]
		}
	}
	for _, o := range [...]struct {
		key      key
		has, bit traits
	}{
		{keyHumanReward, hasReward, reward}, {keyOperatorGate, hasGate, gate},
		{keyResumeContract, hasResume, resume}, {keyAgentVision, hasVision, vision},
	} {
		if has(o.key) {
			t |= o.has
			if isObject(c[o.key]) {
				t |= o.bit
			}
		}
	}
	return t
}

func (k *known) class(name []byte) traits {
	t := k.classes[string(name)]
	for _, prefix := range k.prefixes {
		if len(name) >= len(prefix) && string(name[:len(prefix)]) == prefix {
			t |= isDecision
		}
	}
	return t
}

// foreign is true for a row of another agent than the request's. An unscoped request has every row.
func (k *known) foreign(agent []byte) bool {
	own := k.options.AgentID
	return own != "" && len(agent) > 0 && string(agent) != own && token(string(agent)) != own
}

// token normalises an agent id (agent.token).
func token(agent string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(agent)), " ", "-")
}

// identity hashes generated_at and the two artifact paths: lines that agree in them are one row (4.2). Lines without
// any artifact have only their time in common, so their classification and agent must agree too.
func (k *known) identity(c *cells, generated []byte) uint64 {
	id := maphash.Bytes(k.seed, generated)
	add := func(raw []byte) {
		text, _ := str(raw)
		id = bits.RotateLeft64(id*0x9e3779b97f4a7c15, 31) ^ maphash.Bytes(k.seed, text)
	}
	add(c[keyJSONPath])
	add(c[keyMarkdownPath])
	if absent(c[keyJSONPath]) && absent(c[keyMarkdownPath]) {
		add(c[keyClassification])
		add(c[keyAgentID])
	}
	return id
}

func newestFirst(a, b mark) int {
	return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.first.off, a.first.off))
}

// merge sorts marks newest first, of equal times the later line first, and puts the lines of one row together. The
// row keeps the place of its first line.
func merge(marks []mark) []mark {
	if !slices.IsSortedFunc(marks, newestFirst) {
		slices.SortFunc(marks, newestFirst)
	}
	out := marks[:0]
	for start := 0; start < len(marks); {
		end := start + 1
		for end < len(marks) && marks[end].at == marks[start].at {
			end++
		}
		from := len(out)
		out = mergeSecond(out, marks[start:end])
		if end-start > 1 {
			slices.SortFunc(out[from:], newestFirst)
		}
		start = end
	}
	return out
}

// mergeSecond appends the rows of one instant to out. Lines come latest first; out may overlap same, but never
// runs ahead of it.
func mergeSecond(out, same []mark) []mark {
	if len(same) == 1 {
		return append(out, same[0])
	}
	from := len(out)
	var index map[uint64]int
	if len(same) > 16 {
		index = make(map[uint64]int, len(same))
	}
	find := func(id uint64) int {
		if index != nil {
			if at, ok := index[id]; ok {
				return at
			}
			return -1
		}
		for i := from; i < len(out); i++ {
			if out[i].id == id {
				return i
			}
		}
		return -1
	}
	for _, m := range same {
		at := find(m.id)
		if at < 0 {
			out = append(out, m)
			if index != nil {
				index[m.id] = len(out) - 1
			}
			continue
		}
		row := &out[at]
		m.overlays = append(append(m.overlays, row.first), row.overlays...)
		m.traits = overlay(m.traits, row.traits)
		*row = m
	}
	return out
}
