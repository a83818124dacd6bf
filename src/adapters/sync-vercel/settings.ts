import type { SyncConfig, SyncFieldError } from '../../sys/sync/port.ts'
import { accessTokenErrors } from '../sync/token.ts'

const TARGETS = ['development', 'preview', 'production'] as const
export type VercelEnvironment = (typeof TARGETS)[number]

export interface Project {
  readonly token: string
  readonly id: string
  /** The ID of the team. Empty for the personal account that the token belongs to. */
  readonly team: string
  /** The environments, in the order of `TARGETS`. */
  readonly targets: readonly VercelEnvironment[]
}

/** Excludes `.` and `..`, which would change the path. */
const ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/
const TEAM = /^[A-Za-z0-9_-]{0,100}$/

const isTarget = (value: unknown): value is VercelEnvironment => TARGETS.includes(value as VercelEnvironment)

export function validateVercelConfig(config: SyncConfig): readonly SyncFieldError[] {
  const { project_id, team_id, deployment_environments: targets } = config
  const errors = [...accessTokenErrors(config)]
  if (typeof project_id !== 'string' || !ID.test(project_id))
    errors.push({ field: 'project_id', rule: 'must be the ID or the name of a project' })
  if ((team_id ?? '') !== '' && (typeof team_id !== 'string' || !TEAM.test(team_id)))
    errors.push({ field: 'team_id', rule: 'must be the ID of a team' })
  if (!Array.isArray(targets) || targets.length === 0 || !targets.every(isTarget))
    errors.push({ field: 'deployment_environments', rule: `must be at least one of ${TARGETS.join(', ')}` })
  return errors
}

export function vercelProjectOf(config: SyncConfig): Project {
  const given = config['deployment_environments']
  return {
    token: `${config['access_token']}`,
    id: `${config['project_id']}`,
    team: `${config['team_id'] ?? ''}`,
    targets: TARGETS.filter((target) => Array.isArray(given) && given.includes(target)),
  }
}
