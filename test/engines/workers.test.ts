import { BACKENDS } from '../fixtures/backends.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { testWorkers } from './test-workers.ts'

usePreparedRsaKeys()

testWorkers(BACKENDS.slice(0, 1))
