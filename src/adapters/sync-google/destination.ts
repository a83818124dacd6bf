import { readOptions } from '../../core/base/options.ts'
import type { SyncDestination } from '../../sys/sync/port.ts'
import { parseEndpoint } from '../sync/config.ts'
import { accountIn, type GoogleServiceAccount, validateGoogleConfig } from './credentials.ts'
import { GOOGLE_RULES } from './rules.ts'
import { openGoogleSession } from './session.ts'

export interface GoogleSyncOptions {
  /** Scheme, host and port of the service. Default: `https://secretmanager.googleapis.com`. */
  readonly endpoint?: string
}

/**
 * Google Secret Manager as a destination of secret sync. It uses the package `@google-cloud/secret-manager` version 6 over REST, and
 * imports the package at the first push. The service account signs its own tokens, without a request.
 *
 * Required permissions: `secrets.create`, `secrets.update`, `secrets.delete`, `versions.add` and `versions.destroy`; `secrets.get` and
 * `versions.get` to find out who owns a name; `versions.list` to find the versions of pushes whose responses were lost. A pushed secret
 * keeps only its newest version; older versions are destroyed. Tags become labels, and replace all other labels. Connections do not use a
 * proxy.
 * @throws TypeError for an endpoint that is not a URL.
 */
export function googleSync(options: GoogleSyncOptions = {}): SyncDestination {
  const { endpoint } = readOptions('googleSync', options, { endpoint: 1 })
  const url = parseEndpoint('googleSync', endpoint)
  return {
    type: 'cloud-c-sm',
    rules: GOOGLE_RULES,
    validate: (config) => validateGoogleConfig(config, url !== undefined),
    // The cast is safe, because `validate` has accepted the configuration.
    open: (config) => openGoogleSession(accountIn(config) as GoogleServiceAccount, url),
  }
}
