import { expect } from 'vitest'
import { referenceMs } from '../fixtures/calibration.ts'
import { describeMaliciousCertificates } from './certificate-cases.ts'

/** Processor milliseconds on the reference machine. A refusal takes well below one. */
const MAX_MS = 50

describeMaliciousCertificates(async (send) => {
  const before = process.cpuUsage()
  const answer = await send()
  const { user, system } = process.cpuUsage(before)
  // The calibration loop takes longer than a request, so it runs only if this machine exceeds the bound.
  if ((user + system) / 1000 >= MAX_MS) expect(await referenceMs(send, MAX_MS)).toBeLessThan(MAX_MS)
  return answer
})
