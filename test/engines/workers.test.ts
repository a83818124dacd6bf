import { BACKENDS } from '../fixtures/backends.ts'
import { judgeWorkers } from './judge-workers.ts'

judgeWorkers(BACKENDS.slice(0, 1))
