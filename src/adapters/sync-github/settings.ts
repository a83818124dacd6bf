import type { SyncConfig, SyncFieldError } from '../../sys/sync/port.ts'
import { accessTokenErrors } from '../sync/token.ts'

export interface Repository {
  readonly token: string
  /** The path of the repository, relative to the endpoint. */
  readonly path: string
}

/** Underscores are allowed, because the names of managed users contain one. */
const OWNER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/
/** Excludes `.` and `..`, which would change the path. */
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/

const fits = (value: unknown, form: RegExp): value is string => typeof value === 'string' && form.test(value)

export function validateGithubConfig(config: SyncConfig): readonly SyncFieldError[] {
  const errors = [...accessTokenErrors(config)]
  if (!fits(config['repository_owner'], OWNER))
    errors.push({ field: 'repository_owner', rule: 'must be the name of a user or an organization' })
  if (!fits(config['repository_name'], NAME))
    errors.push({ field: 'repository_name', rule: 'must be the name of a repository, without its owner' })
  return errors
}

export const repositoryOf = (config: SyncConfig): Repository => ({
  token: `${config['access_token']}`,
  path: `/repos/${encodeURIComponent(`${config['repository_owner']}`)}/${encodeURIComponent(`${config['repository_name']}`)}`,
})
