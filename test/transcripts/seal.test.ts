import { describe, expect, it } from 'vitest'
import { replayAudited, replayWithoutSink } from './audited.ts'
import { describeTranscripts, loadTranscripts } from './harness.ts'

describeTranscripts('recorded seal requests', async () => {
  const sealed = (await loadTranscripts('core')).filter(([, { server }]) => server !== 'dev')
  const all = [...(await loadTranscripts('seal')), ...sealed]

  it('are loaded from more than 38 recorded files', () => {
    expect(all.length).toBeGreaterThan(38)
  })

  describe('to a kernel with an audit log', () => {
    it.each(all)('return the recorded answers: %s', async (_, transcript) => void (await replayAudited(transcript)))
  })

  describe('to a kernel without an audit log', () => {
    it.each(all.filter((_, at) => at % 10 === 0))(
      'return the recorded answers: %s',
      async (_, transcript) => void (await replayWithoutSink(transcript)),
    )
  })
})
