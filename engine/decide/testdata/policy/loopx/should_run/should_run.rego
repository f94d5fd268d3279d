# A stand-in that answers from the request alone, so that the engine can be tested without the real rules.
package loopx.should_run

decision := object.union(answer, change) if input.request.goal_id != "undefined"

answer := {
	"ok": true,
	"mode": "should-run",
	"goal_id": input.request.goal_id,
	"decision": "a",
	"should_run": true,
	"state": "s",
	"reason": "because",
	"peers": [peer.goal_id | some peer in input.peers],
	"findings": [finding.code | some finding in input.findings],
	"zeta": {"ok": 1, "alpha": [], "mode": {}},
}

default change := {}

change := {"should_run": "yes"} if input.request.goal_id == "bad-shape"

change := {"decision": "contradiction"} if input.request.goal_id == "contradiction"

change := {"decision": 1} if input.request.goal_id == "conflict"

change := {"decision": 2} if input.request.goal_id == "conflict"

change := {"ok": false} if input.request.goal_id == "unhealthy"
