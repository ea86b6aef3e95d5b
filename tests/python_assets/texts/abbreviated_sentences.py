"""Sentences with an abbreviation that ends in a point, two a line: a cut within either is wrong.

Written for these tests, in the manner of encyclopaedias and newspapers.
"""

SENTENCES = {
    "de": """
Am 3. Oktober 1990 wurde das Land vereinigt. | Danach kam Ruhe.
Dr. Meier traf Prof. Schulz im Rathaus. | Beide schwiegen.
Die Stadt hat z. B. viele Brücken. | Sie ist alt.
Kaiser Wilhelm II. regierte lange. | Er floh 1918.
Der Fluss ist ca. 300 km lang. | Er mündet ins Meer.
Das Buch erschien im 19. Jahrhundert. | Es verkaufte sich gut.
Die Kirche St. Martin steht am Markt. | Sie ist gotisch.
Vgl. dazu Abs. 3 des Gesetzes. | Er gilt seit 2001.
Der Ort hat rd. 2,5 Mio. Einwohner. | Er wächst.
Um 300 v. Chr. lebten hier Kelten. | Später kamen Römer.
Die Firma Müller u. Co. zog um. | Niemand merkte es.
Frau Dr. Ing. Weber leitet das Werk. | Sie kam 2010.
Der sog. Kaiser blieb, d. h. er regierte. | Das Volk murrte.
Er wurde am 12. März geboren. | Seine Mutter starb früh.
Die Ausgabe Bd. IV fehlt. | Sie ging verloren.
J. S. Bach lebte in Leipzig. | Dort starb er.
Hl. Elisabeth ist die Patronin. | Ihr Fest ist im November.
Das kostet inkl. Versand 20 Euro. | Niemand zahlt gern.
Die Abt. Verkehr plant neu. | Der Rat stimmte zu.
Gem. Art. 5 ist die Presse frei. | Das gilt für alle.
""",
    "fr": """
M. Dupont vit à Paris. | Il y travaille.
Mme. Durand et MM. Petit et Roux sont venus. | Ils sont repartis.
Voir p. 12 et art. 5 de la loi. | Elle date de 1901.
Il est né vers 300 av. J.-C. à Rome. | Il y mourut.
Le Dr. Martin soigne les malades. | Il est connu.
La ville de St. Louis est grande. | Elle est ancienne.
La commune compte env. 3 000 hab. au total. | Elle grandit.
Le chap. III traite de la guerre. | Il est long.
J. K. Rowling a écrit ce livre. | Il est célèbre.
Le roi fut sacré en 52 apr. J.-C. à Reims. | Le peuple chantait.
Le vol. II est paru en 1850. | Il fut interdit.
Cf. la fig. 3 du rapport. | Elle montre tout.
Le Pr. Leroy enseigne à Lyon. | Ses élèves l'aiment.
La société Michelin et Cie. a grandi. | Elle emploie mille personnes.
Il habite au no. 5 de la rue. | Sa porte est bleue.
Mlle. Blanche chante bien. | Elle danse aussi.
Le gén. de Gaulle parla à Londres. | La France écouta.
L'éd. Gallimard publia le texte. | Il fut lu partout.
Me. Bernard plaida l'affaire. | Il gagna.
La rép. du Congo est vaste. | Le fleuve la traverse.
""",
    "es": """
El Sr. García vive en Madrid. | Trabaja mucho.
La Sra. López y la Dra. Ruiz llegaron. | Se fueron pronto.
Vive en EE. UU. desde 1990. | Es feliz.
Nació en el s. XIX en Roma. | Murió joven.
Roma cayó en 476 d. C. ante Odoacro. | El imperio terminó.
Hay frutas, p. ej. manzanas. | También hay peras.
Véase la pág. 12 del libro. | Es interesante.
El art. 5 de la ley cambió. | Nadie protestó.
D. Quijote salió de su casa. | Buscaba aventuras.
El Gral. San Martín cruzó los Andes. | Liberó Chile.
La calle Sta. Ana es larga. | Tiene árboles.
J. L. Borges nació en Buenos Aires. | Escribió cuentos.
La ciudad tiene aprox. 3 millones de habitantes. | Crece cada año.
El Prof. Díaz enseña historia. | Sus clases gustan.
El núm. 7 de la revista salió ayer. | Se agotó.
La Srta. Pérez canta bien. | Baila también.
Ud. puede entrar por la avda. Central. | La puerta está abierta.
El Ing. Torres diseñó el puente. | Costó mucho.
Alejandro murió en 323 a. C. en Babilonia. | Tenía 32 años.
El cap. IV trata de la guerra. | Es breve.
""",
    "ar": """
قال د. أحمد إن المدينة كبيرة. | ثم ذهب إلى بيته.
تأسست سنة 300 ق.م. في مصر. | وكانت صغيرة.
التقى أ.د. محمود بالرئيس. | ثم عاد.
وصل أ. خالد إلى المدرسة. | وكان الطلاب ينتظرونه.
انظر ص. 15 من الكتاب. | فيها صورة.
صمم م. سامي الجسر. | وكان طويلا.
ولد ج. ك. رولينغ في إنجلترا. | وكتب كتبا كثيرة.
كتب ت. س. إليوت قصائد كثيرة. | وهي مشهورة.
يعمل د. علي في المستشفى. | وهو طبيب معروف.
طبعت ط. الثانية من الكتاب. | ونفدت سريعا.
""",
    "zh": """
J.K.罗琳是英国作家。 | 她很有名。
公司在U.S.A.成立。 | 他是经理。
他住在No. 5大街。 | 那里很安静。
Dr. 王是医生。 | 他在北京工作。
圆周率约为3.14。 | 它没有尽头。
Apple Inc.发布了新手机。 | 价格很高。
T. S. 艾略特写了许多诗。 | 它们很难懂。
他在St. Louis出生。 | 后来搬到纽约。
这本书见p. 12。 | 那里有图。
Mr. 李来了。 | 他带来了礼物。
""",
}
