import { readHealth } from './health.ts'
import { readLeader } from './leader.ts'
import { listVersionHistory } from './version-history.ts'

export const statusOperations = { readHealth, readLeader, listVersionHistory }
