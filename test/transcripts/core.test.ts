/** Tokens, policies, mounts, namespaces, secrets, leases, wrapping and passwords answer as a live OpenBao did, with and without an audit log. */
import { describe, expect, it } from 'vitest'
import { replayAudited, replayWithoutSink } from './audited.ts'
import { describeTranscripts, loadTranscripts, needsDatabase } from './harness.ts'

describeTranscripts('recorded core requests', async () => {
  const all = (await loadTranscripts('core', 'kv', 'leases', 'wrapping', 'passwords')).filter(
    ([, transcript]) => transcript.server === 'dev' && !needsDatabase(transcript),
  )

  it('include every area', () => {
    expect(all.length).toBeGreaterThan(75)
  })

  describe('with an audit log', () => {
    it.each(all)('%s', async (_, transcript) => void (await replayAudited(transcript)))
  })

  // The slow tier replays all of them without a sink, on other stores.
  describe('without an audit log', () => {
    it.each(all.filter((_, at) => at % 16 === 0))('%s', async (_, transcript) => void (await replayWithoutSink(transcript)))
  })
})
