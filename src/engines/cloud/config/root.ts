import { invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { newGeneration } from '../../credentials/client-cache.ts'
import { templateContext } from '../../credentials/name-template.ts'
import { assertCredentialsUsable } from '../ambient.ts'
import { ROOT, ROOT_NAME } from '../records.ts'
import { singleLine } from '../single-line.ts'
import { defaultTemplate, validateUsernameTemplate } from '../username.ts'

/** Control characters that a template must not contain: all except tab and line breaks. */
const NOT_IN_TEMPLATES = /[^\P{Cc}\t\n\r]/u

/**
 * @throws KernelError 400 if only one of `access_key` and `secret_key` is given, if `access_key` and `secret_key` are both missing and the
 *   mount is not allowed to use the ambient credentials of `ports.cloud`, or if `username_template` is invalid.
 */
export const configureRoot = operation({
  kind: 'write',
  verb: 'POST',
  path: '/config/root',
  forwardable: true,
  summary:
    'Sets the credentials and endpoints that the mount uses, and replaces the previous configuration. The cloud is not called.',
  fields: {
    access_key: singleLine(
      'The id of an access key. Without `access_key` and `secret_key`, the mount uses the ambient credentials of the provider.',
    ).default(''),
    secret_key: singleLine('The secret of the access key. It is never returned.').default(''),
    region: singleLine('The region. Default: the default region of the provider.').default(''),
    iam_endpoint: singleLine('The URL of the IAM endpoint. Default: the endpoint of the region.').default(''),
    sts_endpoint: singleLine('The URL of the STS endpoint. Default: the endpoint of the region.').default(''),
    max_retries: f.int('The number of retries of a call. A negative number means the default of the provider.').default(-1),
    username_template: f
      .text(
        'Go template for the names of users, sessions and federation tokens, with `.Type` (`IAM` or `STS`), `.DisplayName` and `.PolicyName`. The result may have at most 64 characters, or 32 for the type `STS`.',
      )
      .default(''),
  },
  returns: {},
  run: (tx, { access_key, secret_key, username_template, ...rest }) => {
    if (access_key === '' && secret_key !== '') throw invalid('access_key: is required with secret_key')
    if (secret_key === '' && access_key !== '') throw invalid('secret_key: is required with access_key')
    assertCredentialsUsable(tx, { access_key })
    if (NOT_IN_TEMPLATES.test(username_template)) throw invalid('username_template: must not contain control characters')
    if (username_template !== '') validateUsernameTemplate(username_template, templateContext(tx))
    tx.put(ROOT, ROOT_NAME, {
      ...rest,
      access_key,
      secret_key,
      username_template,
      generation: newGeneration(tx),
    })
    tx.event('root.configured', {})
    return undefined
  },
})

/** @throws KernelError 404 if the mount is not configured. */
export const readRoot = operation({
  kind: 'read',
  verb: 'GET',
  path: '/config/root',
  summary: 'Reads the root configuration. The secret of the access key is never returned.',
  fields: {},
  returns: {
    access_key: f.text('The id of the access key; empty if the mount uses ambient credentials of the provider.'),
    region: f.text('The region; empty if the default region of the provider is used.'),
    iam_endpoint: f.text('The URL of the IAM endpoint; empty if the default endpoint of the region is used.'),
    sts_endpoint: f.text('The URL of the STS endpoint; empty if the default endpoint of the region is used.'),
    max_retries: f.int('The number of retries of a call; a negative number means the default of the provider.'),
    username_template: f.text('The template for names. If no template is configured, the default template is returned.'),
  },
  run: (tx) => {
    const found = tx.get(ROOT, ROOT_NAME)
    if (!found) return undefined
    const { access_key, region, iam_endpoint, sts_endpoint, max_retries, username_template } = found
    return {
      access_key,
      region,
      iam_endpoint,
      sts_endpoint,
      max_retries,
      username_template: username_template || defaultTemplate(tx.env.ciphertextPrefix),
    }
  },
})
