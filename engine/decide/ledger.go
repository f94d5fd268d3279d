package decide

// Entrypoints of the commands that keep the ledger and the records of polls. Each answers {ok, document, effects} to Write.
const (
	EntrySpend       = "data.loopx.writeback.spend.result"
	EntryVoid        = "data.loopx.writeback.void.result"
	EntryMonitorPoll = "data.loopx.writeback.monitor_poll.result"
)
