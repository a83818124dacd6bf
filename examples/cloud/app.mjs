/**
 * The application's kernel: the connection to the cloud, and the roles for which it issues credentials.
 */
import { createDevKernel } from 'strongroom'

const UPLOADS = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: 's3:PutObject', Resource: 'arn:aws:s3:::shop-uploads/*' }],
}

/**
 * @param cloud The provider: `awsCloud()` of `strongroom/cloud/aws` for AWS.
 * @param root The access key that the kernel uses for all calls.
 * @param clock The kernel's clock, which `run.mjs` sets.
 */
export async function openApp(cloud, root, clock) {
  const kernel = await createDevKernel({ clock, ports: { cloud } })
  await kernel.cloud.configureRoot(root)

  // Deployments get sessions of a role for 15 minutes.
  await kernel.cloud.writeRole({
    name: 'deploy',
    credential_type: 'assumed_role',
    role_arns: ['arn:aws:iam::123456789012:role/deploy'],
    default_sts_ttl: '15m',
  })

  // Each process that uploads files gets a user of its own. Its lease lasts an hour and can be renewed.
  await kernel.cloud.configureLease({ lease: '1h', lease_max: '24h' })
  await kernel.cloud.writeRole({
    name: 'uploader',
    credential_type: 'iam_user',
    policy_document: JSON.stringify(UPLOADS),
    user_path: '/shop/',
    iam_tags: { app: 'shop' },
  })
  return kernel
}

/** Manages the access key of an existing user, which is replaced every day. */
export const manageUser = (kernel, username) =>
  kernel.cloud.writeStaticRole({ name: 'reports', username, rotation_period: '24h' })
