//! Stop words for the languages without a list in tantivy: articles, pronouns, prepositions, conjunctions and auxiliaries. They are selected
//! from stopwords-iso 1.1.0 (MIT, by Gene Diaz, <https://github.com/stopwords-iso>), without its content words and numbers.

pub const ROMANIAN: &str = "\
    a ai al ale am ar are aş aşadar aţi au avea avem aveţi ca că căci care cărei căror cărui către ce cea ceea cei cel cele celor ceva \
    chiar cine cineva cu cum cumva când cât câte câţi cînd cît cîte cîţi dacă dar de deci deja deoarece deşi din dintr dintre după ea ei \
    el ele era eram este eşti eu fi fie fiecare fii fim fiţi fără i iar ii il imi în înainte încât încît într între întru întrucât \
    întrucît îi îl îmi îşi îţi la le li lor lui mai mă mea mei mele meu mi mie mine ne ni nici nişte noastre noastră noi nostru noştri \
    nouă nu o ori oricare orice oricine oricum pe pentru peste până pînă prin printr sa sau să sale săi său se si sînt sîntem sînteţi \
    spre sub sunt suntem sunteţi şi ta tale tăi tău te ti tine tu ţi ţie un una unde unei uneia unele unii unor unora unu unui unuia unul \
    va vă vi voastre voastră voi vom vor vostru voştri vouă vreo vreun această aceasta aceea acei aceia acel acela acele acelea acest \
    acesta aceste acestea acestei acestui aceşti aceştia ăla ălea ăsta ăstea ăştia asta astea";

pub const TURKISH: &str = "\
    acaba ama ancak artık aslında az bana bazen bazı başka belki ben benden beni benim beri bile bir biraz biri birkaç birçok birşey biz \
    bizden bize bizi bizim böyle böylece bu buna bunda bundan bunlar bunları bunların bunu bunun burada bütün çok çünkü da daha dahi de \
    değil diğer diye dolayı eğer en fakat gibi göre hangi hatta hem henüz hep hepsi her herhangi herkes hiç hiçbir için ile ise işte kadar \
    karşın kendi kendine kendini kendisi ki kim kime kimi kimse lakin madem mi mı mu mü nasıl ne neden nerde nerede nereye niçin niye o \
    olan olarak oldu olduğu olduğunu olmak olması olmayan olsa olsun olup olur ona ondan onlar onlara onlardan onları onların onu onun \
    oysa öyle pek rağmen sadece sanki sen senden seni senin siz sizden size sizi sizin sonra şey şeyi şeyler şöyle şu şuna şunda şundan \
    şunlar şunları şunu şunun tarafından tüm üzere ve veya veyahut ya yani yine yoksa zaten";
