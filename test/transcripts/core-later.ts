/** What the service surface does not do yet, by transcript, with the part that brings it. */

const DATABASE = 'the engine for databases'
const ORCHESTRATOR = 'the orchestrator auth method'

const all = (reason: string, steps: readonly number[]): Readonly<Record<number, string>> =>
  Object.fromEntries(steps.map((step) => [step, reason]))

/** Whole files that stand on a later part. */
export const LATER_FILES: Readonly<Record<string, string>> = {
  'leases/last-use': DATABASE,
  'leases/owner': DATABASE,
}

/** Single steps, by their number in the file. */
export const LATER_STEPS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'core/acl-sudo': {
    ...all(ORCHESTRATOR, [22]),
  },
  'core/auth-mounts': all(ORCHESTRATOR, [0, 1, 2, 3, 4, 5, 6, 7, 26, 27]),
  'core/help': all(ORCHESTRATOR, [2, 13]),
  'core/remount': all(ORCHESTRATOR, [3, 25, 27, 28]),
  'core/ui-mounts': all(ORCHESTRATOR, [3, 6, 8]),
}
