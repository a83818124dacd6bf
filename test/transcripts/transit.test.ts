import { expect, it } from 'vitest'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { replayAudited } from './audited.ts'
import { describeTranscripts, expectOtherNonces, loadTranscripts } from './harness.ts'

usePreparedRsaKeys()

describeTranscripts('recorded transit requests, with an audit log', async () => {
  const all = await loadTranscripts('transit')

  it('include every recorded file', () => {
    expect(all.length).toBeGreaterThan(60)
  })

  it.each(all)('get the recorded answers: %s', async (_, transcript) => {
    expectOtherNonces(await replayAudited(transcript))
  })
})
