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
	text  []byte // the lines that the cells point into
}

// page reads lines again by their place. Rows are asked for newest first, so the bytes before a line are kept.
type page struct {
	src  io.ReaderAt
	buf  []byte
	base int64
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
	start := len(r.text)
	r.text = append(r.text, data...)
	data = r.text[start:]
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

func (r *row) string(k key) string {
	text, _ := str(r.cells[k])
	return string(text)
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

// object decodes a nested object into out. Fields of another type than expected are left out.
func (r *row) object(k key, out any) {
	_ = json.Unmarshal(r.cells[k], out) // the text is valid JSON, so only a field of another type can fail
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
	var items []any
	_ = json.Unmarshal(raw, &items) // anything but a list gives none
	var out []string
	for _, item := range items {
		if text, ok := item.(string); ok {
			out = append(out, text)
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

func (r *row) nested(out *facts.Run) {
	decode(r, keyMonitorTarget, &out.MonitorTarget)
	decode(r, keyVisionCheckpoint, &out.Checkpoint)
	decode(r, keyObservation, &out.Observation)
	decode(r, keyOperatorGate, &out.OperatorGate)
	decode(r, keyWorkspace, &out.Workspace)
	if isObject(r.cells[keySettlement]) {
		r.settlement(out)
	}
	if isObject(r.cells[keyReadiness]) {
		r.readiness(out)
	}
	if isObject(r.cells[keyReplanAck]) {
		r.ack(out)
	}
	if isObject(r.cells[keyAgentVision]) {
		r.vision(out)
	}
}

func (r *row) settlement(out *facts.Run) {
	var settlement struct {
		EffectID string `json:"effect_id"`
	}
	r.object(keySettlement, &settlement)
	out.EffectID = settlement.EffectID
}

func (r *row) readiness(out *facts.Run) {
	var readiness struct {
		MissingGates         json.RawMessage `json:"missing_gates"`
		NextHandoffCondition string          `json:"next_handoff_condition"`
	}
	r.object(keyReadiness, &readiness)
	out.Readiness = &facts.Readiness{
		MissingGates: list(readiness.MissingGates), NextHandoffCondition: readiness.NextHandoffCondition,
	}
}

// decode fills a part whose JSON names are those of the input document.
func decode[T any](r *row, k key, out **T) {
	if isObject(r.cells[k]) {
		*out = new(T)
		r.object(k, *out)
	}
}

// list is stringList, never nil.
func list(raw json.RawMessage) []string { return append([]string{}, stringList(raw)...) }

// ack reads autonomous_replan_ack (4.9).
func (r *row) ack(out *facts.Run) {
	var ack struct {
		SchemaVersion string          `json:"schema_version"`
		Recorded      bool            `json:"recorded"`
		Requested     string          `json:"requested_classification"`
		Frontier      string          `json:"frontier_identity"`
		Delta         json.RawMessage `json:"delta_contract"`
		Semantic      json.RawMessage `json:"semantic_delta"`
	}
	r.object(keyReplanAck, &ack)
	var delta struct {
		SchemaVersion string          `json:"schema_version"`
		Present       bool            `json:"delta_present"`
		Kinds         json.RawMessage `json:"delta_kinds"`
	}
	var semantic struct {
		Accepted     bool            `json:"accepted"`
		ObligationID string          `json:"obligation_id"`
		Outcomes     json.RawMessage `json:"outcomes"`
	}
	if isObject(ack.Delta) {
		_ = json.Unmarshal(ack.Delta, &delta) // as in object
	}
	if isObject(ack.Semantic) {
		_ = json.Unmarshal(ack.Semantic, &semantic) // as in object
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

// vision reads agent_vision: its state, and from its patch the acceptance summary and the trigger of a replan.
func (r *row) vision(out *facts.Run) {
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
	r.object(keyAgentVision, &vision)
	var inner patch
	if isObject(vision.Patch) {
		_ = json.Unmarshal(vision.Patch, &inner) // as in object
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
	var items []json.RawMessage
	_ = json.Unmarshal(raw, &items) // anything but a list gives none
	out := []string{}
	for _, item := range items {
		if text, ok := str(item); ok {
			out = append(out, string(text))
			continue
		}
		var entry struct {
			Action string `json:"action"`
			TodoID string `json:"todo_id"`
		}
		if isObject(item) {
			_ = json.Unmarshal(item, &entry) // as in object
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
