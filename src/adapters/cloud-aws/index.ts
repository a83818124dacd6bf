/** `strongroom/cloud/aws`: the cloud provider for Amazon Web Services. */
export { AwsError } from './failure.ts'
export { type AwsCloudOptions, awsCloud } from './provider.ts'
export type { AwsCredentials, AwsCredentialsProvider, IamModule, StsModule } from './sdk.ts'
