/**
 * Domains of public mail services, whose people share no organization. Only an operator proves them for a workspace's own OpenID provider. The
 * list need not be complete: such services keep `postmaster@` and `admin@` to themselves, and their DNS too.
 */
const domains: ReadonlySet<string> = new Set(
  `aol.com aol.de btinternet.com comcast.net fastmail.com fastmail.fm free.fr freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com
  hetnet.nl hey.com home.nl hotmail.be hotmail.co.uk hotmail.com hotmail.de hotmail.fr hotmail.it hotmail.nl hushmail.com icloud.com inbox.lv inbox.ru
  kpnmail.nl laposte.net libero.it list.ru live.be live.co.uk live.com live.de live.fr live.nl mac.com mail.com mail.de mail.ru mailbox.org me.com
  msn.com naver.com orange.fr outlook.be outlook.com outlook.de outlook.es outlook.fr outlook.it outlook.nl planet.nl pm.me posteo.de posteo.net
  proton.me protonmail.ch protonmail.com qq.com rediffmail.com rocketmail.com seznam.cz sfr.fr skynet.be startmail.com t-online.de telenet.be tuta.com
  tuta.io tutanota.com tutanota.de upcmail.nl verizon.net wanadoo.fr web.de wp.pl xs4all.nl ya.ru yahoo.ca yahoo.co.in yahoo.co.jp yahoo.co.uk
  yahoo.com yahoo.de yahoo.es yahoo.fr yahoo.it yandex.com yandex.ru ymail.com zeelandnet.nl ziggo.nl zoho.com zohomail.com zohomail.eu 126.com 163.com`.split(
    /\s+/,
  ),
)

/** Whether the domain is one of a public mail service. */
export const isPublicMailDomain = (domain: string): boolean => domains.has(domain)
