package decide

// Entrypoints of the authoring commands. Each answers {ok, document, effects} to Write.
const (
	EntryQuotaWrite    = "data.loopx.writeback.quota_write.result"
	EntryConfigureGoal = "data.loopx.writeback.configure_goal.result"
	EntryRegisterAgent = "data.loopx.writeback.register_agent.result"
	EntryInit          = "data.loopx.writeback.init.result"
	EntryTodoWrite     = "data.loopx.writeback.todo_write.result"
	EntryTodoList      = "data.loopx.writeback.todo_list.result"
	EntryRefresh       = "data.loopx.writeback.refresh.result"
	EntryProjectMap    = "data.loopx.writeback.project_map.result"
	EntryRunIndex      = "data.loopx.writeback.run_index.result"
	EntryDoctor        = "data.loopx.writeback.doctor.result"
)
