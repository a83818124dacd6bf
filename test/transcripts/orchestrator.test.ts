/** A fake port replaces the API server. */
import { expect, it } from 'vitest'
import { replayAudited } from './audited.ts'
import { describeTranscripts, loadTranscripts } from './harness.ts'

describeTranscripts('recorded orchestrator logins, with an audit log', async () => {
  const all = await loadTranscripts('orchestrator')

  it('include every recorded file', () => {
    expect(all.length).toBeGreaterThanOrEqual(17)
  })

  it.each(all)('get the recorded answers: %s', async (_, transcript) => void (await replayAudited(transcript)))
})
