/** A write of a profile names each address, locale and time zone in it that nothing can use. */
import { expect, test } from 'vitest'
import { profileWarnings } from './profile-warnings.ts'

test.each([
  [
    { email: 'ada(at)example' },
    'The `email` of the profile, `ada(at)example`, is not an email address: it has no `@`.',
  ],
  [
    { email: 'a@b.example, c@d.example' },
    'The `email` of the profile, `a@b.example, c@d.example`, is not an email address: it is more than one.',
  ],
  [
    { phone_number: 'call me' },
    'The `phone_number` of the profile, `call me`, is not a telephone number, such as `+12025550143`.',
  ],
  [
    { phone_number: '030 123456' },
    'The `phone_number` of the profile, `030 123456`, has no country code: write it in the place of the first `0`, such as `+49`.',
  ],
  [{ email: 12 }, 'The `email` of the profile is not read: it is not a string.'],
  [{ locale: 'german' }, 'The `locale` of the profile, `german`, is not a locale such as `de` or `pt-BR`.'],
  [
    { zoneinfo: 'Europe/Berln' },
    'The `zoneinfo` of the profile, `Europe/Berln`, is not a time zone. Did you mean `Europe/Berlin`?',
  ],
  [{ emial: 'ada@example.com' }, 'The profile has `emial`, which is data only. Did you mean `email`?'],
  [
    { email: 'a@b.example', phonenumber: '1' },
    'The profile has `phonenumber`, which is data only. Did you mean `phone_number`?',
  ],
  [{ time_zone: 'Europe/Berlin' }, 'The profile has `time_zone`, which is data only. Did you mean `timezone`?'],
  [{ timezone: 'Mars' }, 'The `timezone` of the profile, `Mars`, is not a time zone.'],
])('%j: %s', (profile, sentence) => {
  expect(profileWarnings(profile)).toEqual([sentence])
})

test('a telephone number may be a number, as it is read when a message is sent', () => {
  expect(profileWarnings({ phone_number: 12025550143 })).toEqual([])
})

test('usable values, absent ones and other fields are silent', () => {
  const profile = {
    email: 'Jörg <jörg@exämple.example>',
    phone_number: '+49 (0)30 123456',
    locale: 'de_AT.UTF-8',
    zoneinfo: 'europe/vienna',
    timezone: '+02:00',
    language: 'klingon',
  }
  expect(profileWarnings(profile)).toEqual([])
  expect(profileWarnings({ email: '', phone_number: null, locale: undefined })).toEqual([])
})

test('a value that was there before is silent', () => {
  const before = { email: 'ada(at)example', locale: 'german' }
  expect(profileWarnings({ ...before, locale: 'deutsch' }, before)).toEqual([
    'The `locale` of the profile, `deutsch`, is not a locale such as `de` or `pt-BR`.',
  ])
})

test('data that is like a name is silent: beside that name, as before, short, counted, or an object', () => {
  for (const profile of [{ email: 'a@b.example', emial: 'x' }, { mail: 'x' }, { email2: 'x' }, { emails: ['x'] }])
    expect(profileWarnings(profile)).toEqual([])
  expect(profileWarnings({ emial: 'x' }, { emial: 'y' })).toEqual([])
})
