import { describe, expect, it } from 'vitest'
import type { CloudCallRecord } from '../../src/testing/index.ts'
import { CONFIG, CREDENTIALS, loadCloud, replayCloud, STATIC_ROLES } from './cloud.ts'
import { describeTranscripts } from './harness.ts'

interface Step {
  readonly request?: { readonly path: string }
  readonly response?: { readonly status: number }
  readonly differs?: object
  /** The AWS calls of OpenBao. */
  readonly asked?: readonly (readonly [action: string, params: Readonly<Record<string, string>>])[]
}

/** These parameters of AWS calls are compared; the others are random. */
const PARAMETERS = [
  'Path',
  'PolicyArn',
  'PolicyName',
  'PolicyDocument',
  'GroupName',
  'RoleArn',
  'DurationSeconds',
  'Policy',
] as const

type ShownCall = readonly string[]

const shownCall = ({ call, request }: CloudCallRecord): ShownCall => {
  const members = request as Readonly<Record<string, unknown>>
  const action = call.charAt(0).toUpperCase() + call.slice(1)
  const params = PARAMETERS.map((name) => members[name.charAt(0).toLowerCase() + name.slice(1)])
  return [action, ...params.filter((value) => value !== undefined).map(String)]
}

const recordedCalls = (asked: NonNullable<Step['asked']>): readonly ShownCall[] =>
  asked.map(([action, params]) => [action, ...PARAMETERS.flatMap((name) => params[name] ?? [])])

/**
 * Steps whose AWS calls differ from OpenBao's: OpenBao reads only the first page (or has leftovers from such a step: 38, 75), assumes a
 * role without any policy although the role specifies a limiting group (4), or the step deletes leftovers of an earlier refusal here (58).
 */
const OTHER_CALLS: Readonly<Record<string, readonly number[]>> = { 'cloud/creds-groups': [4, 38], 'cloud/leases': [58, 75] }

/** Whether the calls of a step must equal those of OpenBao, in the same order. */
const isComparable = ({ request, response, differs, asked }: Step): boolean =>
  asked !== undefined && !differs && (response?.status ?? 500) < 300 && !/prefix|force|sys\/mounts/.test(request?.path ?? '')

describeTranscripts('recorded cloud requests', async () => {
  describe.each([
    ['for the configuration and roles, which cause no AWS calls,', CONFIG],
    ['for static roles and the rotation of the root key', STATIC_ROLES],
  ] as const)('%s', async (_, group) => {
    const all = await loadCloud(group)
    it('are loaded from every recorded file', () => {
      expect(all.length).toBe(group.count)
    })
    it.each(all)('return the recorded answers: %s', (_, transcript) => replayCloud(transcript, group))
  })

  describe('for credentials and their leases', async () => {
    const all = await loadCloud(CREDENTIALS)
    it('are loaded from every recorded file', () => {
      expect(all.length).toBe(CREDENTIALS.count)
    })
    it.each(all)('return the recorded answers and cause the recorded AWS calls: %s', async (name, transcript) => {
      const steps = (transcript.steps as readonly Step[]).filter(({ request }) => request)
      const seen: (readonly ShownCall[])[] = []
      await replayCloud(transcript, CREDENTIALS, {
        // The kernel first checks whether the name from a fixed template exists.
        onCalls: (calls) => void seen.push(calls.filter(({ call }) => call !== 'getUser').map(shownCall)),
      })
      for (const [at, step] of steps.entries()) {
        if (!isComparable(step) || OTHER_CALLS[name]?.includes(at)) continue
        expect([at, step.request?.path, seen[at]]).toEqual([at, step.request?.path, recordedCalls(step.asked ?? [])])
      }
    })
  })
})
