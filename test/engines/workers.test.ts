import { BACKENDS } from '../fixtures/backends.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { judgeWorkers } from './judge-workers.ts'

usePreparedRsaKeys()

judgeWorkers(BACKENDS.slice(0, 1))
