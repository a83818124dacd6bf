/**
 * The IAM actions for objects that prevent the deletion of a user: login profiles, MFA devices, SSH keys, certificates, and
 * service-specific credentials.
 */
import type { ActionRequest, CloudAction } from './action.ts'
import { type ActionAnswer, dateText, page } from './answer.ts'
import { required, validation } from './params.ts'
import { AwsRefusal } from './refusal.ts'
import type { CloudUserState, FakeCloudExtra } from './state.ts'

const userOf = ({ world, params }: ActionRequest): CloudUserState => world.user(required(params, 'UserName'))

const idsOf = ({ extras }: CloudUserState, kind: FakeCloudExtra): string[] =>
  [...extras].filter(([, one]) => one === kind).map(([id]) => id)

/** Returns an action that lists the objects of one kind. */
const lists =
  (member: string, kind: FakeCloudExtra, shown: (id: string, user: CloudUserState) => ActionAnswer): CloudAction =>
  (request) => {
    const user = userOf(request)
    return page(
      request.params,
      member,
      idsOf(user, kind).map((id) => shown(id, user)),
      request.pageLimit,
    )
  }

/**
 * Returns an action that deletes an object of one kind.
 * @param parameter The name of the request parameter that contains the object's id.
 */
const deletes =
  (parameter: string, kind: FakeCloudExtra): CloudAction =>
  (request) => {
    const id = request.params[parameter]
    if (id === undefined) throw validation(`${parameter} is missing`)
    const user = userOf(request)
    if (user.extras.get(id) !== kind) throw new AwsRefusal('NoSuchEntity', `${id} cannot be found.`)
    user.extras.delete(id)
    return {}
  }

const DATE = dateText(0)

export const IAM_EXTRAS: Readonly<Record<string, CloudAction>> = {
  DeleteLoginProfile(request) {
    const user = userOf(request)
    const [id] = idsOf(user, 'login_profile')
    if (id === undefined) throw new AwsRefusal('NoSuchEntity', `Login Profile for User ${user.userName} cannot be found.`)
    user.extras.delete(id)
    return {}
  },
  ListMFADevices: lists('MFADevices', 'mfa_device', (id, { userName }) => ({
    UserName: userName,
    SerialNumber: id,
    EnableDate: DATE,
  })),
  /** Afterwards the device belongs to no user, but stays in the account until DeleteVirtualMFADevice deletes it. */
  DeactivateMFADevice(request) {
    const answer = deletes('SerialNumber', 'mfa_device')(request)
    request.world.devices.add(request.params['SerialNumber'] ?? '')
    return answer
  },
  DeleteVirtualMFADevice({ world, params }) {
    const serial = params['SerialNumber'] ?? ''
    if ([...world.users.values()].some(({ extras }) => extras.has(serial)))
      throw new AwsRefusal('DeleteConflict', 'The device is assigned to a user.')
    if (!world.devices.delete(serial)) throw new AwsRefusal('NoSuchEntity', `VirtualMFADevice ${serial} does not exist.`)
    return {}
  },
  ListSSHPublicKeys: lists('SSHPublicKeys', 'ssh_key', (id, { userName }) => ({
    UserName: userName,
    SSHPublicKeyId: id,
    Status: 'Active',
    UploadDate: DATE,
  })),
  DeleteSSHPublicKey: deletes('SSHPublicKeyId', 'ssh_key'),
  ListSigningCertificates: lists('Certificates', 'signing_certificate', (id, { userName }) => ({
    UserName: userName,
    CertificateId: id,
    CertificateBody: '-----BEGIN CERTIFICATE-----',
    Status: 'Active',
    UploadDate: DATE,
  })),
  DeleteSigningCertificate: deletes('CertificateId', 'signing_certificate'),
  ListServiceSpecificCredentials: lists('ServiceSpecificCredentials', 'service_specific_credential', (id, { userName }) => ({
    UserName: userName,
    Status: 'Active',
    ServiceUserName: `${userName}-at-123`,
    CreateDate: DATE,
    ServiceSpecificCredentialId: id,
    ServiceName: 'codecommit.amazonaws.com',
  })),
  DeleteServiceSpecificCredential: deletes('ServiceSpecificCredentialId', 'service_specific_credential'),
}
