/** What clients ask first, in any state. Room: sys. Imported by the system engine. */
import { readHealth } from './health.ts'
import { readInit, readLeader, readSealStatus } from './state.ts'
import { listVersionHistory } from './version-history.ts'

export const statusOperations = { readHealth, readInit, readSealStatus, readLeader, listVersionHistory }
