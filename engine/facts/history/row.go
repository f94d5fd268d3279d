package history

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// row is one row of the index with its overlays merged: the raw value of every known field. It is used again for the
// next row.
type row struct {
	cells cells
	seen  uint64
	text  []byte // the lines that the cells point into, unless they are kept elsewhere
	kept  *kept  // nil when nothing is kept
}

// reset gives an empty row with the same buffer.
func (r *row) reset(kept *kept) row { return row{text: r.text[:0], kept: kept} }

func (r *row) texts() *texts {
	if r.kept == nil {
		return nil
	}
	return &r.kept.texts
}

// page reads lines again by their place. Rows are asked for newest first, so the bytes before a line are kept.
type page struct {
	src   io.ReaderAt
	buf   []byte
	base  int64
	whole bool // buf holds every line and stays as it is
	notes *notes
}

// line gives the bytes of one line, valid until the next call.
func (p *page) line(at ref) ([]byte, error) {
	end := at.off + int64(at.size)
	if at.off < p.base || end > p.base+int64(len(p.buf)) {
		start := min(at.off, max(0, end-firstBlock))
		size := int(end - start)
		if size > cap(p.buf) {
			p.buf = make([]byte, size)
		}
		p.buf, p.base = p.buf[:size], start
		if err := readAt(p.src, p.buf, start); err != nil {
			p.buf = p.buf[:0]
			return nil, err
		}
	}
	return p.buf[at.off-p.base : end-p.base], nil
}

// row reads a row into r: its first line and what later lines put over it.
func (p *page) row(m *mark, r *row) error {
	r.cells.clear(r.seen)
	r.seen, r.text = 0, r.text[:0]
	if err := p.onto(r, m.first); err != nil {
		return err
	}
	for _, at := range m.overlays {
		if err := p.onto(r, at); err != nil {
			return err
		}
	}
	return nil
}

func (p *page) onto(r *row, at ref) error {
	data, err := p.line(at)
	if err != nil {
		return err
	}
	if !p.whole {
		start := len(r.text)
		r.text = append(r.text, data...)
		data = r.text[start:]
	}
	if at.note != 0 {
		r.seen |= p.notes.read(at.note, data, &r.cells)
		return nil
	}
	if r.seen == 0 {
		r.seen, _ = object(data, rowKey, &r.cells)
		return nil
	}
	var over cells
	seen, _ := object(data, rowKey, &over)
	for k := range over {
		if seen&(1<<k) != 0 {
			r.cells[k] = over[k]
		}
	}
	r.seen |= seen
	return nil
}

func (r *row) string(k key) string { return r.textOf(r.cells[k]) }

// textOf is the text of a raw value, empty when it is no string.
func (r *row) textOf(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	text, _ := str(raw)
	return r.texts().of(text)
}

func (r *row) flag(k key) *bool {
	switch string(r.cells[k]) {
	case "true":
		return new(true)
	case "false":
		return new(false)
	}
	return nil
}

// strings gives the strings of a list; a lone string is a list of one.
func (r *row) strings(k key) []string { return stringList(r.cells[k]) }

func stringList(raw json.RawMessage) []string {
	if text, ok := str(raw); ok {
		return []string{string(text)}
	}
	if len(raw) == 0 {
		return nil
	}
	var out []string
	for item := range items(raw) {
		if text, ok := str(item); ok {
			out = append(out, string(text))
		}
	}
	return out
}

// run decodes a row.
func (r *row) run(m *mark) facts.Run {
	source := r.string(keyRecommendedActionSource)
	out := facts.Run{
		GeneratedAt:             r.string(keyGeneratedAt),
		AtNS:                    m.at,
		Count:                   1,
		Classification:          r.string(keyClassification),
		Requested:               r.string(keyRequested),
		AgentID:                 token(r.string(keyAgentID)),
		AgentLane:               r.string(keyAgentLane),
		ProgressScope:           r.string(keyProgressScope),
		DeliveryOutcome:         r.string(keyDeliveryOutcome),
		DeliveryBatchScale:      r.string(keyDeliveryBatchScale),
		TurnKind:                r.string(keyTurnKind),
		FollowThrough:           r.flag(keyFollowThrough),
		RecommendedAction:       r.string(keyRecommendedAction),
		RecommendedActionSource: source,
		Refresh:                 isObject(r.cells[keyState]) && isObject(r.cells[keyProjectionRoute]) && strings.TrimSpace(source) != "",
		TodoID:                  r.string(keyTodoID),
		TargetKey:               r.string(keyTargetKey),
		TurnInstanceID:          r.string(keyTurnInstanceID),
		ReplanObligationID:      r.string(keyReplanObligationID),
		MaterialChange:          r.flag(keyMaterialChange),
		ResultHash:              r.string(keyResultHash),
		SuccessorTodoIDs:        r.strings(keySuccessors),
		LifecyclePhase:          r.string(keyLifecyclePhase),
		LifecycleFlags:          r.strings(keyLifecycleFlags),
		HumanReward:             isObject(r.cells[keyHumanReward]),
		ResumeGate:              isObject(r.cells[keyResumeContract]),
	}
	r.nested(&out)
	return out
}

// The forms of nested objects whose JSON names are those of the input document, and of the parts of the others.
var (
	targetForm      = formOf[facts.MonitorTarget]()
	checkpointForm  = formOf[facts.VisionCheckpoint]()
	observationForm = formOf[facts.ProgressObservation]()
	gateForm        = formOf[facts.OperatorGate]()
	workspaceForm   = formOf[facts.Workspace]()
	settlementForm  = formOf[settlement]()
	readinessForm   = formOf[readiness]()
	ackForm         = formOf[ack]()
	deltaForm       = formOf[delta]()
	semanticForm    = formOf[semantic]()
)

func (r *row) nested(out *facts.Run) {
	decode(r, keyMonitorTarget, &targetForm, &out.MonitorTarget)
	decode(r, keyVisionCheckpoint, &checkpointForm, &out.Checkpoint)
	decode(r, keyObservation, &observationForm, &out.Observation)
	decode(r, keyOperatorGate, &gateForm, &out.OperatorGate)
	decode(r, keyWorkspace, &workspaceForm, &out.Workspace)
	if isObject(r.cells[keySettlement]) {
		out.EffectID = parsed[settlement](r, keySettlement, &settlementForm).EffectID
	}
	if raw := r.cells[keyReadiness]; isObject(raw) {
		r.readiness(raw, out)
	}
	if raw := r.cells[keyReplanAck]; isObject(raw) {
		r.ack(raw, out)
	}
	if raw := r.cells[keyAgentVision]; isObject(raw) {
		readVision(raw, out)
	}
}

// decode fills a part whose JSON names are those of the input document.
func decode[T any](r *row, k key, f *form, out **T) {
	if isObject(r.cells[k]) {
		*out = new(T)
		**out = *parsed[T](r, k, f)
	}
}

// parsed gives a part that has no lists, so that a copy of it stands for itself. It holds until the next one is parsed.
func parsed[T any](r *row, k key, f *form) *T {
	raw := r.cells[k]
	if r.kept == nil || len(raw) > keptBytes {
		value := new(T)
		f.decode(raw, value, nil)
		return value
	}
	part := &r.kept.parts[k]
	value, ok := part.value.(*T)
	if ok && string(part.raw) == string(raw) {
		return value
	}
	if !ok {
		value = new(T)
		part.value = value
	}
	f.decode(raw, value, r.texts())
	part.raw = append(part.raw[:0], raw...)
	return value
}

type settlement struct {
	EffectID string `json:"effect_id"`
}

type readiness struct {
	MissingGates         json.RawMessage `json:"missing_gates"`
	NextHandoffCondition string          `json:"next_handoff_condition"`
}

func (r *row) readiness(raw []byte, out *facts.Run) {
	var given readiness
	readinessForm.decode(raw, &given, r.texts())
	out.Readiness = &facts.Readiness{
		MissingGates: list(given.MissingGates), NextHandoffCondition: given.NextHandoffCondition,
	}
}

// list is stringList, never nil.
func list(raw json.RawMessage) []string { return append([]string{}, stringList(raw)...) }

type ack struct {
	SchemaVersion string          `json:"schema_version"`
	Recorded      bool            `json:"recorded"`
	Requested     string          `json:"requested_classification"`
	Frontier      string          `json:"frontier_identity"`
	Delta         json.RawMessage `json:"delta_contract"`
	Semantic      json.RawMessage `json:"semantic_delta"`
}

type delta struct {
	SchemaVersion string          `json:"schema_version"`
	Present       bool            `json:"delta_present"`
	Kinds         json.RawMessage `json:"delta_kinds"`
}

type semantic struct {
	Accepted     bool            `json:"accepted"`
	ObligationID string          `json:"obligation_id"`
	Outcomes     json.RawMessage `json:"outcomes"`
}

// ack reads autonomous_replan_ack (4.9).
func (r *row) ack(raw []byte, out *facts.Run) {
	var ack ack
	ackForm.decode(raw, &ack, r.texts())
	var delta delta
	if isObject(ack.Delta) {
		deltaForm.decode(ack.Delta, &delta, r.texts())
	}
	var semantic semantic
	if isObject(ack.Semantic) {
		semanticForm.decode(ack.Semantic, &semantic, r.texts())
	}
	if out.Requested == "" {
		out.Requested = ack.Requested
	}
	out.Ack = &facts.ReplanAck{
		SchemaVersion:        ack.SchemaVersion,
		Recorded:             ack.Recorded,
		DeltaSchemaVersion:   delta.SchemaVersion,
		DeltaPresent:         delta.Present,
		DeltaKinds:           list(delta.Kinds),
		FrontierIdentity:     ack.Frontier,
		SemanticPresent:      isObject(ack.Semantic),
		SemanticAccepted:     semantic.Accepted,
		SemanticObligationID: semantic.ObligationID,
		SemanticOutcomes:     list(semantic.Outcomes),
	}
}

// readVision reads agent_vision: its state, and from its patch the acceptance summary and the trigger of a replan.
func readVision(raw []byte, out *facts.Run) {
	type patch struct {
		Acceptance     string          `json:"acceptance_summary"`
		TriggerSummary string          `json:"replan_trigger_summary"`
		Trigger        string          `json:"replan_trigger"`
		TodoDelta      json.RawMessage `json:"todo_delta"`
	}
	var vision struct {
		patch
		State string          `json:"state"`
		Patch json.RawMessage `json:"vision_patch"`
	}
	_ = json.Unmarshal(raw, &vision) // the text is valid JSON, so only a field of another type can fail
	var inner patch
	if isObject(vision.Patch) {
		_ = json.Unmarshal(vision.Patch, &inner) // as above
	}
	delta := todoDelta(vision.TodoDelta)
	if len(delta) == 0 {
		delta = todoDelta(inner.TodoDelta)
	}
	out.Vision = &facts.Vision{
		State:             vision.State,
		AcceptanceSummary: firstText(inner.Acceptance, vision.Acceptance),
		ReplanTrigger:     firstText(inner.TriggerSummary, inner.Trigger, vision.TriggerSummary, vision.Trigger),
		TodoDelta:         delta,
	}
}

// todoDelta gives "<action>:<todo_id>" entries; upstream writes them as text or as objects.
func todoDelta(raw json.RawMessage) []string {
	out := []string{}
	for item := range items(raw) {
		if text, ok := str(item); ok {
			out = append(out, string(text))
			continue
		}
		var entry struct {
			Action string `json:"action"`
			TodoID string `json:"todo_id"`
		}
		if isObject(item) {
			_ = json.Unmarshal(item, &entry) // as in readVision
			out = append(out, entry.Action+":"+entry.TodoID)
		}
	}
	return out
}

func firstText(texts ...string) string {
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return ""
}
