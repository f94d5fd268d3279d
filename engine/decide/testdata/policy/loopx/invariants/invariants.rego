package loopx.invariants

violations contains {"rule": "INV-T", "message": "an answer may not contradict itself"} if {
	input.decision.decision == "contradiction"
}
