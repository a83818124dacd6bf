/**
 * Google Secret Manager as a destination of secret sync.
 */
import { readOptions } from '../../core/base/options.ts'
import type { SyncDestination } from '../../sys/sync/port.ts'
import { parseEndpoint } from '../sync/config.ts'
import { accountIn, type GoogleServiceAccount, validateGoogleConfig } from './credentials.ts'
import { GOOGLE_RULES } from './rules.ts'
import { openGoogleSession } from './session.ts'

export interface GoogleSyncOptions {
  /** Where the store is asked, in place of `https://secretmanager.googleapis.com`: scheme, host and port. */
  readonly endpoint?: string
}

/**
 * Secrets of Google Secret Manager, through the package `@google-cloud/secret-manager`, version 6, over REST, imported at the first push. The
 * service account signs its own tokens: nobody is asked for one.
 *
 * Permissions: `secrets.create`, `secrets.update`, `secrets.delete`, `versions.add` and `versions.destroy`; `secrets.get` and `versions.get`
 * to see who owns a name; `versions.list` to find what pushes left behind whose answers were lost. A secret has one version that is not destroyed, and the tags as its labels:
 * others are taken away. Connections do not go through a proxy.
 * @throws TypeError for an endpoint that is no URL.
 */
export function googleSync(options: GoogleSyncOptions = {}): SyncDestination {
  const { endpoint } = readOptions('googleSync', options, { endpoint: 1 })
  const url = parseEndpoint('googleSync', endpoint)
  return {
    type: 'cloud-c-sm',
    rules: GOOGLE_RULES,
    validate: (config) => validateGoogleConfig(config, url !== undefined),
    // Found good by `validate`.
    open: (config) => openGoogleSession(accountIn(config) as GoogleServiceAccount, url),
  }
}
