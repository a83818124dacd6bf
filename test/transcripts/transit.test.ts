import { expect, it } from 'vitest'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { replayAudited } from './audited.ts'
import { describeTranscripts, expectOtherNonces, loadTranscripts } from './harness.ts'

usePreparedRsaKeys()

describeTranscripts('recorded transit requests to a kernel with an audit log', async () => {
  const all = await loadTranscripts('transit')

  it('are loaded from more than 60 recorded files', () => {
    expect(all.length).toBeGreaterThan(60)
  })

  it.each(all)('return the recorded answers: %s', async (_, transcript) => {
    expectOtherNonces(await replayAudited(transcript))
  })
})
