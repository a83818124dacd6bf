import { type AmbientNamespaces, assertAmbientNamespaces } from '../../core/base/ambient-namespaces.ts'
import { readOptions } from '../../core/base/options.ts'
import type { SyncDestination, SyncRules } from '../../sys/sync/port.ts'
import { parseEndpoint } from '../sync/config.ts'
import { openAwsSession } from './session.ts'
import { type AwsSyncEnvironment, awsSettingsOf, validateAwsConfig } from './settings.ts'

const AWS_RULES: SyncRules = {
  maxNameLength: 512,
  maxValueBytes: 65_536,
  granularityDefault: 'secret-path',
  tags: true,
  normalizeName: (raw) => raw.replace(/[^A-Za-z0-9/_+=.@-]/gu, '_'),
  foldName: (name) => name,
}

export interface AwsSyncOptions {
  /** The URL of the service; default: the endpoint of the region. */
  readonly endpoint?: string
  /** The source of credentials and region if the configuration omits them, such as `process.env`. Default: the SDK's own provider chain. */
  readonly environment?: AwsSyncEnvironment
  /**
   * The paths of the namespaces whose destinations may omit access keys and use the credentials of the process. `''` is the root namespace,
   * and `*` means all namespaces. Default: `['']`.
   */
  readonly namespaces?: AmbientNamespaces
}

/**
 * AWS Secrets Manager as a destination of secret sync, through the package `@aws-sdk/client-secrets-manager` version 3, which is imported
 * at the first push.
 *
 * Required permissions: `CreateSecret`, `UpdateSecret`, `RestoreSecret`, `DeleteSecret`, `TagResource`, `UntagResource`, and
 * `DescribeSecret` to see who owns a name. A removed secret can be recovered for 30 days, AWS's default; pushing to a name that is
 * scheduled for deletion restores it.
 * @throws TypeError for an endpoint that is not a URL.
 */
export function awsSync(options: AwsSyncOptions = {}): SyncDestination {
  const { endpoint, environment, namespaces } = readOptions('awsSync', options, { endpoint: 1, environment: 1, namespaces: 1 })
  const url = parseEndpoint('awsSync', endpoint)
  assertAmbientNamespaces('awsSync: namespaces', namespaces)
  return {
    type: 'cloud-a-sm',
    rules: AWS_RULES,
    ambient_without: ['access_key_id', 'secret_access_key'],
    ...(namespaces && { ambient_namespaces: [...namespaces] }),
    validate: (config) => validateAwsConfig(config, environment),
    open: (config) => openAwsSession(() => awsSettingsOf(config, environment), url),
  }
}
