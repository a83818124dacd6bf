/**
 * The application's kernel: which cloud there is, and which access to it there may be.
 */
import { createDevKernel } from 'strongroom'

const UPLOADS = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: 's3:PutObject', Resource: 'arn:aws:s3:::shop-uploads/*' }],
}

/**
 * @param cloud The provider: `awsCloud()` of `strongroom/cloud/aws` for the real one.
 * @param root The access key that everything is done with.
 * @param clock Of the kernel: `run.mjs` moves it.
 */
export async function openApp(cloud, root, clock) {
  const kernel = await createDevKernel({ clock, ports: { cloud } })
  await kernel.cloud.configureRoot(root)

  // Deployments take the place of a role, for a quarter of an hour.
  await kernel.cloud.writeRole({
    name: 'deploy',
    credential_type: 'assumed_role',
    role_arns: ['arn:aws:iam::123456789012:role/deploy'],
    default_sts_ttl: '15m',
  })

  // Each process that uploads gets a user of its own, for an hour at a time.
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

/** A user that is there already, and that gets another access key each day. */
export const takeIntoCare = (kernel, username) =>
  kernel.cloud.writeStaticRole({ name: 'reports', username, rotation_period: '24h' })
