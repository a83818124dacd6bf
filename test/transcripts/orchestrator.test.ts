/** A fake port replaces the API server. */
import { expect, it } from 'vitest'
import { replayAudited } from './audited.ts'
import { describeTranscripts, loadTranscripts } from './harness.ts'

describeTranscripts('recorded orchestrator logins to a kernel with an audit log', async () => {
  const all = await loadTranscripts('orchestrator')

  it('are loaded from at least 17 recorded files', () => {
    expect(all.length).toBeGreaterThanOrEqual(17)
  })

  it.each(all)('return the recorded answers: %s', async (_, transcript) => void (await replayAudited(transcript)))
})
