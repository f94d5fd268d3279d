package loopx.plan

item := {"goal_id": input.request.goal_id}

standing := item

document := {
	"ok": true,
	"mode": input.request.command,
	"goal_count": count(input.peers),
	"run_count": input.route.run_count,
	"summary": {},
	"next_automatic_turn": null,
	"groups": {"g": input.peers},
	"health_items": [],
}
