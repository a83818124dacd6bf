import { type AmbientNamespaces, assertAmbientNamespaces } from '../../core/base/ambient-namespaces.ts'
import { type OptionDuration, readOptions } from '../../core/base/options.ts'
import type { CloudProvider } from '../../engines/cloud/port.ts'
import { awsClient } from './client.ts'
import { AwsConnection } from './connection.ts'
import type { AwsCredentials, AwsCredentialsProvider, IamModule, StsModule } from './sdk.ts'

export interface AwsCloudOptions {
  /** The package `@aws-sdk/client-iam`: `import * as iam from '@aws-sdk/client-iam'`. Default: imported at first use. */
  readonly iam?: IamModule
  /** The package `@aws-sdk/client-sts`. Default: imported at first use. */
  readonly sts?: StsModule
  /** The ambient credentials, which configurations without keys use, or a function that returns them. Default: no ambient credentials. */
  readonly credentials?: AwsCredentials | AwsCredentialsProvider
  /** Namespaces whose mounts may use the ambient credentials: paths, `''` for the root namespace, `*` for all. Default: `['']`. */
  readonly namespaces?: AmbientNamespaces
  /** The maximum time of a call in milliseconds, including all retries and pages. Default: 15,000. */
  readonly deadlineMs?: OptionDuration
  /** See `CloudProvider.ready`. If it is missing, credentials are returned immediately. */
  readonly ready?: CloudProvider['ready']
  /** The maximum time of all calls of `ready` together, in milliseconds. Default: 30,000. */
  readonly readyTimeoutMs?: OptionDuration
}

const MAX_DEADLINE_MS = 2 ** 31 - 1

/**
 * Returns the cloud provider for AWS, which uses IAM and STS through the AWS SDK for JavaScript, version 3. The region is the one in the
 * configuration, or else `AWS_REGION`, `AWS_DEFAULT_REGION`, or us-east-1. An endpoint without a scheme uses HTTPS. Without `max_retries`,
 * the default of the SDK applies. If the answer to the creation of a user or key is lost, the creation is not retried, because it may have
 * taken effect.
 *
 * Each configuration has one pair of SDK clients with keep-alive connections. The credential chain of the SDK is used only if it is passed
 * explicitly, as `credentials: fromNodeProviderChain()`.
 * @throws TypeError for invalid options.
 */
export function awsCloud(options: AwsCloudOptions = {}): CloudProvider {
  const {
    iam,
    sts,
    credentials,
    namespaces,
    deadlineMs = 15_000,
    ready,
    readyTimeoutMs,
  } = readOptions('awsCloud', options, {
    iam: 1,
    sts: 1,
    credentials: 1,
    namespaces: 1,
    deadlineMs: 1,
    ready: 1,
    readyTimeoutMs: 1,
  })
  if (iam !== undefined && typeof iam?.IAM !== 'function')
    throw new TypeError('awsCloud: iam must be the package @aws-sdk/client-iam')
  if (sts !== undefined && typeof sts?.STS !== 'function')
    throw new TypeError('awsCloud: sts must be the package @aws-sdk/client-sts')
  if (credentials !== undefined && typeof credentials !== 'function' && typeof credentials?.accessKeyId !== 'string')
    throw new TypeError(
      'awsCloud: credentials must be { accessKeyId, secretAccessKey, sessionToken? } or a function that provides them',
    )
  if (ready !== undefined && typeof ready !== 'function') throw new TypeError('awsCloud: ready must be a function')
  assertAmbientNamespaces('awsCloud: namespaces', namespaces)
  assertMilliseconds('deadlineMs', deadlineMs)
  if (readyTimeoutMs !== undefined) assertMilliseconds('readyTimeoutMs', readyTimeoutMs)
  return {
    connect: (settings) => awsClient(new AwsConnection(settings, { iam, sts, credentials, deadlineMs: deadlineMs })),
    ...(credentials !== undefined && { ambient: true }),
    ...(namespaces && { ambient_namespaces: [...namespaces] }),
    ...(ready && { ready }),
    ...(readyTimeoutMs !== undefined && { readyTimeoutMs }),
  }
}

function assertMilliseconds(name: string, ms: number): void {
  if (!(ms >= 1 && ms <= MAX_DEADLINE_MS))
    throw new TypeError(`awsCloud: ${name} must be a number of milliseconds from 1 to ${MAX_DEADLINE_MS}`)
}
