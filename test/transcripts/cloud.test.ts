/** The cloud engine answers as a live OpenBao did and makes the same calls, on a cloud in memory. */
import { describe, expect, it } from 'vitest'
import type { CloudCallRecord } from '../../src/testing/index.ts'
import { CONFIG, CREDENTIALS, loadCloud, replayCloud, STATIC_ROLES } from './cloud.ts'
import { describeTranscripts } from './harness.ts'

interface Step {
  readonly request?: { readonly path: string }
  readonly response?: { readonly status: number }
  readonly differs?: object
  /** The calls of OpenBao. */
  readonly asked?: readonly (readonly [action: string, params: Readonly<Record<string, string>>])[]
}

/** The recordings have these parameters of AWS calls; the others are random. */
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
  const given = request as Readonly<Record<string, unknown>>
  const action = call.charAt(0).toUpperCase() + call.slice(1)
  const params = PARAMETERS.map((name) => given[name.charAt(0).toLowerCase() + name.slice(1)])
  return [action, ...params.filter((value) => value !== undefined).map(String)]
}

const recordedCalls = (asked: NonNullable<Step['asked']>): readonly ShownCall[] =>
  asked.map(([action, params]) => [action, ...PARAMETERS.flatMap((name) => params[name] ?? [])])

/**
 * Steps at which OpenBao reads only the first page, or has something left from such a step (38, 75), or assumes a role without any policy
 * although the role names a group to limit it (4), or that remove what an earlier refusal of ours left (58).
 */
const OTHER_CALLS: Readonly<Record<string, readonly number[]>> = { 'cloud/creds-groups': [4, 38], 'cloud/leases': [58, 75] }

/** Steps whose calls must be those of OpenBao, in its order. */
const isComparable = ({ request, response, differs, asked }: Step): boolean =>
  asked !== undefined && !differs && (response?.status ?? 500) < 300 && !/prefix|force|sys\/mounts/.test(request?.path ?? '')

describeTranscripts('recorded cloud requests', async () => {
  describe.each([
    ['configuration and roles, without a call to AWS', CONFIG],
    ['static roles and the rotation of the root key', STATIC_ROLES],
  ] as const)('%s', async (_, group) => {
    const all = await loadCloud(group)
    it('include every file', () => {
      expect(all.length).toBe(group.count)
    })
    it.each(all)('%s', (_, transcript) => replayCloud(transcript, group))
  })

  describe('credentials and their leases, with the same calls in the same order', async () => {
    const all = await loadCloud(CREDENTIALS)
    it('include every file', () => {
      expect(all.length).toBe(CREDENTIALS.count)
    })
    it.each(all)('%s', async (name, transcript) => {
      const steps = (transcript.steps as readonly Step[]).filter(({ request }) => request)
      const seen: (readonly ShownCall[])[] = []
      await replayCloud(transcript, CREDENTIALS, {
        // A name from a fixed template is looked up first.
        onCalls: (calls) => void seen.push(calls.filter(({ call }) => call !== 'getUser').map(shownCall)),
      })
      for (const [at, step] of steps.entries()) {
        if (!isComparable(step) || OTHER_CALLS[name]?.includes(at)) continue
        expect([at, step.request?.path, seen[at]]).toEqual([at, step.request?.path, recordedCalls(step.asked ?? [])])
      }
    })
  })
})
