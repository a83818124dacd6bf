/** Creates tokens. The creation is authorized by key shares instead of a token. */
import { decodeToken } from './decode-token.ts'
import { generateOperationToken as operationToken, generateRoot as rootToken } from './generate.ts'
import { deleteToken } from './operation-token.ts'

export const generateRoot = { ...rootToken, decodeToken }
export const generateOperationToken = { ...operationToken, deleteToken }

/** The operations for root tokens and for operation tokens in one object, so the operations for operation tokens get names of their own. */
export const generateTokenPathOperations = {
  ...generateRoot,
  readOperationTokenStatus: operationToken.readStatus,
  initOperationToken: operationToken.init,
  cancelOperationToken: operationToken.cancel,
  updateOperationToken: operationToken.update,
  deleteOperationToken: deleteToken,
}
