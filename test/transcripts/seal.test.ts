import { describe, expect, it } from 'vitest'
import { replayAudited, replayWithoutSink } from './audited.ts'
import { describeTranscripts, loadTranscripts } from './harness.ts'

describeTranscripts('recorded seal requests', async () => {
  const sealed = (await loadTranscripts('core')).filter(([, { server }]) => server !== 'dev')
  const all = [...(await loadTranscripts('seal')), ...sealed]

  it('include every recorded file', () => {
    expect(all.length).toBeGreaterThan(38)
  })

  describe('with an audit log', () => {
    it.each(all)('get the recorded answers: %s', async (_, transcript) => void (await replayAudited(transcript)))
  })

  describe('without an audit log', () => {
    it.each(all.filter((_, at) => at % 10 === 0))(
      'get the recorded answers: %s',
      async (_, transcript) => void (await replayWithoutSink(transcript)),
    )
  })
})
