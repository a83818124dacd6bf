import { describe, expect, it } from 'vitest'
import { replayAudited, replayWithoutSink } from './audited.ts'
import { describeTranscripts, loadTranscripts, needsDatabase, type Transcript } from './harness.ts'

interface RecordedStep {
  readonly request: { readonly path: string }
  readonly differs?: { readonly why: string; readonly at: Readonly<Record<string, unknown>> }
}

describeTranscripts('recorded core requests', async () => {
  const all = (await loadTranscripts('core', 'kv', 'leases', 'wrapping', 'passwords')).filter(
    ([, transcript]) => transcript.server === 'dev' && !needsDatabase(transcript),
  )

  it('are loaded from more than 75 recorded files', () => {
    expect(all.length).toBeGreaterThan(75)
  })

  it('return the recorded policy versions, modification times and cas_required flags', async () => {
    const policies = all.find(([name]) => name === 'core/policies')?.[1] as Transcript
    let compared = 0
    const steps = (policies.steps as readonly RecordedStep[]).map(({ differs, ...step }) => {
      if (differs?.why !== 'policies have no versions here') return { ...step, ...(differs && { differs }) }
      compared++
      // Built-in policies have no creation time, because they are not written here.
      const left = Object.entries(differs.at).filter(([at]) => at === '/data/policy' || at === '/data/modified')
      return {
        ...step,
        ...(/default|response-wrapping/.test(step.request.path) && { differs: { ...differs, at: Object.fromEntries(left) } }),
      }
    })
    expect(compared).toBeGreaterThan(10)
    await replayAudited({ ...policies, steps })
  })

  describe('to a kernel with an audit log', () => {
    it.each(all)('return the recorded answers: %s', async (_, transcript) => void (await replayAudited(transcript)))
  })

  // The slow tier replays all transcripts without a sink on other stores.
  describe('to a kernel without an audit log', () => {
    it.each(all.filter((_, at) => at % 16 === 0))(
      'return the recorded answers: %s',
      async (_, transcript) => void (await replayWithoutSink(transcript)),
    )
  })
})
