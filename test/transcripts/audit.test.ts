/** The audit endpoints answer as a live OpenBao did, on a kernel whose application gave no sink factory. */
import { expect, it } from 'vitest'
import { createDevKernel } from '../../src/index.ts'
import { describeTranscripts, loadTranscripts, NAMING, replayOn } from './harness.ts'

describeTranscripts('recorded audit requests', async () => {
  const all = await loadTranscripts('audit')

  it('include every file', () => {
    expect(all.length).toBeGreaterThanOrEqual(2)
  })

  it.each(all)('%s', async (_, transcript) => {
    await using kernel = await createDevKernel({ naming: NAMING })
    await replayOn(kernel, transcript, {})
  })
})
