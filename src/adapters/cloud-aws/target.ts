import type { CloudSettings } from '../../engines/cloud/port.ts'
import { AwsError } from './failure.ts'

const DEFAULT_REGION = 'us-east-1'

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** The region of the configuration, or else `AWS_REGION`, `AWS_DEFAULT_REGION`, or us-east-1. Empty values are skipped. */
export const configuredRegion = ({ region }: CloudSettings, variables: EnvironmentVariables): string =>
  region || variables['AWS_REGION'] || variables['AWS_DEFAULT_REGION'] || DEFAULT_REGION

/**
 * Returns the URL of an endpoint, or undefined if no endpoint is configured. The default scheme is https.
 * @throws AwsError `invalid` if the endpoint is not an http or https URL, or if it contains a user or password.
 */
export function endpointUrl(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined || endpoint === '') return undefined
  const text = endpoint.includes('://') ? endpoint : `https://${endpoint}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return text
  throw new AwsError('invalid', 'ERR_INVALID_URL')
}

/**
 * Returns the region for which requests to IAM are signed. Each AWS partition, such as `aws-cn`, has one IAM service, which accepts only
 * signatures for one region. For other servers with the IAM API, the configured region is used.
 */
export function iamSigningRegion(region: string, endpoint: string | undefined): string {
  const host = endpoint === undefined ? '' : new URL(endpoint).hostname
  if (!/\.amazonaws\.com(\.cn)?$/.test(host)) return region
  if (region.startsWith('us-gov-')) return 'us-gov-west-1'
  return region.startsWith('cn-') ? 'cn-north-1' : DEFAULT_REGION
}
