/** Initialization, unsealing, sealing, rekeying and rotation answer as a live OpenBao did. Each file is replayed on a store of its own. */
import { describe, expect, it } from 'vitest'
import { replayAudited, replayWithoutSink } from './audited.ts'
import { describeTranscripts, loadTranscripts } from './harness.ts'

describeTranscripts('recorded seal requests', async () => {
  const sealed = (await loadTranscripts('core')).filter(([, { server }]) => server !== 'dev')
  const all = [...(await loadTranscripts('seal')), ...sealed]

  it('include every file', () => {
    expect(all.length).toBeGreaterThan(38)
  })

  describe('with an audit log', () => {
    it.each(all)('%s', async (_, transcript) => void (await replayAudited(transcript)))
  })

  describe('without an audit log', () => {
    it.each(all.filter((_, at) => at % 10 === 0))('%s', async (_, transcript) => void (await replayWithoutSink(transcript)))
  })
})
