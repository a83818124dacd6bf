/** The kernel runs without a sink factory. */
import { expect, it } from 'vitest'
import { createDevKernel } from '../../src/index.ts'
import { describeTranscripts, loadTranscripts, NAMING, replayOn } from './harness.ts'

describeTranscripts('recorded audit requests', async () => {
  const all = await loadTranscripts('audit')

  it('are loaded from at least 2 recorded files', () => {
    expect(all.length).toBeGreaterThanOrEqual(2)
  })

  it.each(all)('get the recorded answers: %s', async (_, transcript) => {
    await using kernel = await createDevKernel({ naming: NAMING })
    await replayOn(kernel, transcript, {})
  })
})
