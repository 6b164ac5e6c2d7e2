/** Labels of the entries of the sign-in log. */
import type { SignInEntry, SignInKind, SignInMethod } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'

export const kindLabels: Readonly<Record<SignInKind, string>> = {
  'sign-in': t('Sign-in'),
  'second-factor': t('Second factor'),
  token: t('Token request'),
  refusal: t('Refused application'),
}

const methodLabels: Readonly<Record<SignInMethod, string>> = {
  password: t('password'),
  passkey: t('passkey'),
  code: t('code of an app'),
  'recovery-code': t('recovery code'),
  session: t('existing session'),
  provider: t('other provider'),
}

const resultLabels: Readonly<Record<string, string>> = {
  ok: t('Succeeded'),
  'second-factor-needed': t('Password correct, second factor requested'),
  'claim-missing': t('The provider sent no claim for groups or attributes'),
  'claim-incomplete': t('The provider sent an incomplete claim, which gave nothing'),
  'claim-too-long': t('The provider sent more values than a member can have'),
  'wrong-password': t('Wrong password'),
  'wrong-code': t('Wrong code'),
  'wrong-passkey': t('Passkey not accepted'),
  throttled: t('Too many attempts'),
  'reset-throttled': t('Too many requests for a new password'),
  'not-a-member': t('Not a member'),
  'second-factor-missing': t('Second factor missing'),
}

/** OAuth errors keep their names, which the documentation of clients uses. */
export const describeResult = ({ result }: SignInEntry): string => resultLabels[result] ?? result

export const describeMethod = ({ kind, method }: SignInEntry): string =>
  method === null ? kindLabels[kind] : `${kindLabels[kind]}, ${methodLabels[method]}`
