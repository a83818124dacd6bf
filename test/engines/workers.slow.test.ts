import { BACKENDS } from '../fixtures/backends.ts'
import { testWorkers } from './test-workers.ts'

testWorkers(BACKENDS.slice(1))
