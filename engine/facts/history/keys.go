package history

import "github.com/loopx-dev/loopx-policy/engine/facts"

// key is a field of an index row or of a ledger event that the reader knows.
type key uint8

const (
	keyGeneratedAt key = iota
	keyGoalID
	keyClassification
	keyAgentID
	keyProgressScope
	keyJSONPath
	keyMarkdownPath
	keyHumanReward
	keyOperatorGate
	keyResumeContract
	keyAgentVision
	keyQuotaEvent

	keyRequested
	keyAgentLane
	keyDeliveryOutcome
	keyDeliveryBatchScale
	keyTurnKind
	keyFollowThrough
	keyRecommendedAction
	keyRecommendedActionSource
	keyState
	keyProjectionRoute
	keyTodoID
	keyTargetKey
	keyTurnInstanceID
	keyReplanObligationID
	keySettlement
	keyMaterialChange
	keyResultHash
	keySuccessors
	keyLifecyclePhase
	keyLifecycleFlags
	keyMonitorTarget
	keyReplanAck
	keyVisionCheckpoint
	keyObservation
	keyReadiness
	keyWorkspace

	keyCount
	noKey key = 255
)

// Fields of a ledger event; they share the cells of a row, whose other keys an event does not have.
const (
	eventSlots  = keyGeneratedAt
	eventRun    = keyGoalID
	eventVoided = keyClassification
)

// gateKey names the gate of a row.
var gateKey = facts.KeyOf[facts.Run]("OperatorGate")

// rowKey knows the fields of an index row (state-files.md 4.2). The names are those of the file format.
func rowKey(name []byte) key {
	switch string(name) {
	case "generated_at":
		return keyGeneratedAt
	case "goal_id":
		return keyGoalID
	case "classification":
		return keyClassification
	case "agent_id":
		return keyAgentID
	case "progress_scope":
		return keyProgressScope
	case "json_path":
		return keyJSONPath
	case "markdown_path":
		return keyMarkdownPath
	case "human_reward":
		return keyHumanReward
	case "operator_gate_resume_contract":
		return keyResumeContract
	case "agent_vision":
		return keyAgentVision
	case "quota_event":
		return keyQuotaEvent
	case "requested_classification":
		return keyRequested
	case "agent_lane":
		return keyAgentLane
	case "delivery_outcome":
		return keyDeliveryOutcome
	case "delivery_batch_scale":
		return keyDeliveryBatchScale
	case "turn_kind":
		return keyTurnKind
	case "outcome_followthrough":
		return keyFollowThrough
	case "recommended_action":
		return keyRecommendedAction
	case "recommended_action_source":
		return keyRecommendedActionSource
	case "state":
		return keyState
	case "runtime_projection_route":
		return keyProjectionRoute
	case "todo_id":
		return keyTodoID
	case "target_key":
		return keyTargetKey
	case "turn_instance_id":
		return keyTurnInstanceID
	case "replan_obligation_id":
		return keyReplanObligationID
	case "settlement_identity":
		return keySettlement
	case "material_change":
		return keyMaterialChange
	case "result_hash":
		return keyResultHash
	case "successor_todo_ids":
		return keySuccessors
	case "lifecycle_phase":
		return keyLifecyclePhase
	case "lifecycle_flags":
		return keyLifecycleFlags
	case "monitor_target":
		return keyMonitorTarget
	case "autonomous_replan_ack":
		return keyReplanAck
	case "vision_checkpoint":
		return keyVisionCheckpoint
	case "progress_observation":
		return keyObservation
	case "controller_readiness":
		return keyReadiness
	case "delivery_workspace":
		return keyWorkspace
	case gateKey:
		return keyOperatorGate
	}
	return noKey
}

// eventKey knows the fields of a quota event (4.6, 4.7) that the ledger needs.
func eventKey(name []byte) key {
	switch string(name) {
	case "slots":
		return eventSlots
	case "run_generated_at":
		return eventRun
	case "voided_run_generated_at":
		return eventVoided
	}
	return noKey
}

// artifactKey knows the one field of a run's JSON artifact that the ledger needs.
func artifactKey(name []byte) key {
	if string(name) == "quota_event" {
		return keyQuotaEvent
	}
	return noKey
}
